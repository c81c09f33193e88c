import { existsSync, mkdirSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import { MIB } from '@signalbox/contracts/size';
import type { Git } from '../git/git.ts';
import type { BranchCommit, Change, Forge } from './forge.ts';

const PATCH_BYTES = 16 * MIB;
const NO_COMMIT = '0'.repeat(40);

/** Opens the forge of projects without one: branches go into a bare repository `<dir>/<project>.git`, with a patch file beside it. */
export function createNoForge(deps: { readonly git: Git; readonly dir: string; readonly project: string }): Forge {
  const { git, project } = deps;
  const repository = join(deps.dir, `${project}.git`);
  const run = async (words: readonly string[], signal: AbortSignal, local: string | null = null) => {
    const room = { mirror: repository, local: local ?? repository, isSsh: false, trustDir: null };
    return git(['-C', repository, ...words], { signal, protocols: 'file', room, maxBytes: PATCH_BYTES });
  };
  const runWhole = async (words: readonly string[], signal: AbortSignal, local: string | null = null) => {
    const result = await run(words, signal, local);
    if (result.code !== 0)
      throw new Error(`git ${words[0] ?? ''} ended with ${result.code ?? 'a signal'}: ${result.stderr}`);
    return result.stdout;
  };
  const find = async (branch: string, signal: AbortSignal): Promise<string | null> => {
    if (!existsSync(join(repository, 'HEAD'))) return null;
    const { code, stdout } = await run(['rev-parse', '--quiet', '--verify', `refs/heads/${branch}^{commit}`], signal);
    return code === 0 ? stdout.toString('utf8').trim() : null;
  };
  const describe = (branch: string, commit: string): Change => ({
    kind: 'kept',
    repository,
    branch,
    commit,
    patchFile: join(deps.dir, `${project}-${commit.slice(0, 12)}.patch`),
  });
  const writePatch = async ({ base, commit, branch }: BranchCommit, signal: AbortSignal): Promise<void> => {
    const words = ['format-patch', '--stdout', '--binary', '--no-signature', `${base}..${commit}`];
    const patch = await runWhole(words, signal);
    if (patch.length >= PATCH_BYTES) return; // The branch has all of it
    const { patchFile } = describe(branch, commit) as Extract<Change, { kind: 'kept' }>; // `describe` makes no other
    const draft = join(deps.dir, `.${randomUUID()}`);
    await writeFile(draft, patch, { mode: 0o600 });
    await rename(draft, patchFile).catch(async (error: unknown) => {
      await rm(draft, { force: true });
      throw error;
    });
  };
  return {
    kind: 'none',
    name: 'none',
    async publish(change, signal) {
      const { mirror, commit, branch, replaces } = change;
      if (!existsSync(join(repository, 'HEAD'))) {
        mkdirSync(repository, { recursive: true, mode: 0o700 });
        await runWhole(['init', '--quiet', '--bare', '--template=', '.'], signal);
      }
      const before = await find(branch, signal);
      if (before !== commit) {
        if (before !== replaces) throw new AppError('BRANCH_TAKEN', { branch, repository, commit: before ?? 'none' });
        await runWhole(['fetch', '--quiet', '--no-tags', '--no-auto-gc', '--', mirror, commit], signal, mirror);
        // Git compares and sets, so that of two processes one fails.
        await runWhole(['update-ref', `refs/heads/${branch}`, commit, before ?? NO_COMMIT], signal);
      }
      // A plain clone checks out the newest change.
      await runWhole(['symbolic-ref', 'HEAD', `refs/heads/${branch}`], signal);
      await writePatch(change, signal);
      return { isNew: before !== commit };
    },
    async openChange({ branch }, signal) {
      const commit = await find(branch, signal);
      if (commit === null) throw new Error(`the branch ${branch} was not published`);
      return describe(branch, commit);
    },
    async findChange(branch, signal) {
      const commit = await find(branch, signal);
      return commit === null ? null : describe(branch, commit);
    },
  };
}
