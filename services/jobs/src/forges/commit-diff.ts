import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import type { Git, GitResult } from '../git/git.ts';

const AUTHOR = { name: 'Signalbox', email: 'signalbox@users.noreply.invalid' } as const;

/** An approved diff and what its commit says. */
export interface CommitOrder {
  readonly base: string;
  /** Unified diff of `git diff --binary`, with paths from the root of the repository. */
  readonly diff: string;
  readonly message: string;
  /** Time of the commit: a fixed time, such as that of the approval, makes the same commit in every attempt. */
  readonly at: Date;
}

/**
 * Makes the commit of a diff in a mirror, without a work tree, and returns its id. The same order makes the same commit. Throws
 * DIFF_REFUSED for a diff that does not fit its base, or that leads outside of the repository.
 */
export async function commitDiff(
  git: Git,
  mirror: string,
  { base, diff, message, at }: CommitOrder,
  signal: AbortSignal,
): Promise<string> {
  const room = { mirror, local: mirror, isSsh: false, trustDir: null };
  const name = randomUUID();
  const [index, patch] = [join(mirror, `index-${name}`), join(mirror, `patch-${name}`)];
  const date = `${Math.floor(at.getTime() / 1_000)} +0000`;
  const env = {
    GIT_INDEX_FILE: index,
    GIT_AUTHOR_NAME: AUTHOR.name,
    GIT_AUTHOR_EMAIL: AUTHOR.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: AUTHOR.name,
    GIT_COMMITTER_EMAIL: AUTHOR.email,
    GIT_COMMITTER_DATE: date,
  };
  const run = (words: readonly string[]): Promise<GitResult> => git(['-C', mirror, ...words], { signal, env, room });
  const runWhole = async (words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(words);
    if (code !== 0) throw new Error(`git ${words[0] ?? ''} ended with ${code ?? 'a signal'}: ${stderr}`);
    return stdout.toString('utf8').trim();
  };
  try {
    await writeFile(patch, diff.endsWith('\n') ? diff : `${diff}\n`, { mode: 0o600, flag: 'wx' });
    await runWhole(['read-tree', `${base}^{tree}`]);
    const applied = await run(['apply', '--cached', '--whitespace=nowarn', '--', patch]);
    if (applied.code !== 0) throw new AppError('DIFF_REFUSED', { detail: toDetail(applied.stderr, patch) });
    const tree = await runWhole(['write-tree']);
    return await runWhole(['commit-tree', '--no-gpg-sign', '-p', base, '-m', message, tree]);
  } finally {
    for (const file of [index, `${index}.lock`, patch]) await rm(file, { force: true });
  }
}

function toDetail(stderr: string, patch: string): string {
  const line = stderr.split('\n').find((one) => one.startsWith('error: ')) ?? 'it does not fit';
  return line.slice('error: '.length).replaceAll(patch, 'the diff').slice(0, 200);
}
