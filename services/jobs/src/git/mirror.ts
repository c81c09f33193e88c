import { existsSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import { formatNameList } from '@signalbox/contracts/nearest-name';
import { isGitRef } from '@signalbox/contracts/repository/ref';
import { say } from '@signalbox/messages/say';
import type { GitPaths } from '../sandbox/git-room.ts';
import type { Git, GitResult } from './git.ts';
import type { AddressPin } from './public-address.ts';
import type { RepositoryAddress } from './repository-address.ts';
import { withLogin } from './repository-login.ts';

/** A repository whose host was resolved and whose login was opened. */
export type ReachableRepository = RepositoryAddress & { readonly pin: AddressPin; readonly login: string | null };

/** The ref of a mirror that holds the repository's main branch. */
export const MAIN_REF = 'refs/signalbox/head';
const LISTED_REFS = 200;
const LISTED_BRANCHES = 20;
const FETCH = ['fetch', '--quiet', '--force', '--no-tags', '--no-recurse-submodules', '--no-auto-gc'];
const PUSHED = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

/** Updates a mirror; creates a missing and replaces a broken one. `withMain`: with the main branch. Throws REPOSITORY_UNREADABLE. */
export async function fetchMirror(
  git: Git,
  mirror: string,
  from: ReachableRepository,
  { withMain, signal }: { readonly withMain: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const fetch = async (words: readonly string[], refs: readonly string[]): Promise<GitResult> =>
    withLogin(mirror, from, (env) =>
      git([...from.pin.words, '-C', mirror, ...FETCH, ...words, '--', from.url, ...refs], {
        signal,
        env,
        protocols: from.protocol,
        room: roomOf(mirror, from),
      }),
    );
  const fetchAll = async (): Promise<string | null> => {
    if (!existsSync(join(mirror, 'HEAD'))) {
      mkdirSync(mirror, { recursive: true, mode: 0o700 });
      const made = await git(['init', '--quiet', '--bare', '--template=', mirror], { signal });
      if (made.code !== 0) return made.stderr;
    }
    const { code, stderr } = await fetch(['--prune'], withMain ? [...PUSHED, `+HEAD:${MAIN_REF}`] : PUSHED);
    if (code === 0) return null;
    // A repository without a main branch is fetched again without `HEAD`; asking for both refs at first saves a round trip.
    if (!withMain || !/remote ref HEAD\b/.test(stderr)) return stderr;
    const others = await fetch(['--prune'], PUSHED);
    return others.code === 0 ? null : others.stderr;
  };
  const trouble = await fetchAll();
  // A killed fetch leaves locks or half a mirror; a new mirror is complete.
  const isBroken =
    trouble !== null && /\.lock|corrupt|not a git repository|loose object|bad object|unable to read/i.test(trouble);
  if (isBroken) await rm(mirror, { recursive: true, force: true });
  const again = isBroken ? await fetchAll() : trouble;
  if (again !== null) {
    const detail = whyUnread(again, from.login !== null);
    throw new AppError('REPOSITORY_UNREADABLE', { repository: from.shown, detail }, new Error(again));
  }
}

function roomOf(mirror: string, { url, protocol, pin: { trustDir } }: ReachableRepository): GitPaths {
  return { mirror, local: protocol === 'file' ? url : null, isSsh: protocol === 'ssh', trustDir };
}

/** Explains git's error to people; otherwise returns the last error line without addresses, which may hold a password. */
function whyUnread(stderr: string, hasLogin: boolean): string {
  if (/host key verification failed/i.test(stderr)) return say('repository.hostKeyUnknown');
  // Hosts report private repositories as missing.
  if (/authentication failed|could not read Username|permission denied|returned error: 40[134]|not found/i.test(stderr))
    return say('repository.refused', { hasLogin });
  if (/returned error: 30\d|redirect/i.test(stderr)) return say('repository.moved');
  const lines = stderr.split('\n').filter(Boolean);
  const line = lines.findLast((one) => /^(?:fatal|error|ssh):/.test(one)) ?? lines.at(-1) ?? say('repository.unread');
  return line.replace(/\/\/[^/@\s]*@/g, '//').slice(0, 200);
}

/** True when the mirror has this full commit id, which then needs no fetch. */
export async function hasCommit(git: Git, mirror: string, ref: string, signal: AbortSignal): Promise<boolean> {
  if (!/^[0-9a-f]{40}$/.test(ref) || !existsSync(join(mirror, 'HEAD'))) return false;
  return (await git(['-C', mirror, 'cat-file', '-e', `${ref}^{commit}`], { signal })).code === 0;
}

/** Finds the commit of a ref in a mirror; null when the mirror lacks the ref. */
export async function findCommit(git: Git, mirror: string, name: string, signal: AbortSignal): Promise<string | null> {
  const words = ['-C', mirror, 'rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`];
  const { code, stdout } = await git(words, { signal });
  const commit = stdout.toString('utf8').trim();
  return code === 0 && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
}

interface ListedRefs {
  readonly of: readonly string[];
  readonly pointsAt?: string | null;
  readonly count: number;
  readonly signal: AbortSignal;
}

/** Lists tags or branches, newest first; with `pointsAt` only refs of that commit. */
export async function listRefs(
  git: Git,
  mirror: string,
  { of, pointsAt = null, count, signal }: ListedRefs,
): Promise<readonly string[]> {
  const order = ['--format=%(refname:short)', '--sort=-version:refname', '--sort=-creatordate', `--count=${count}`];
  const only = pointsAt === null ? [] : [`--points-at=${pointsAt}`];
  const { stdout } = await git(['-C', mirror, 'for-each-ref', ...order, ...only, ...of], { signal });
  return stdout.toString('utf8').split('\n').filter(Boolean);
}

/** Git fetches the commit of HEAD without its branch name; most likely the branch is one of those at this commit. */
export async function findBranch(git: Git, mirror: string, main: string, signal: AbortSignal): Promise<string | null> {
  const there = { of: ['refs/heads'], pointsAt: main, count: LISTED_BRANCHES, signal };
  const branches = await listRefs(git, mirror, there);
  return ['main', 'master'].find((name) => branches.includes(name)) ?? branches[0] ?? null;
}

/** Resolves a tag, else a branch, else a commit id, or `HEAD`. Throws NOT_FOUND with the known refs, REF_AMBIGUOUS. */
export async function resolveRef(
  git: Git,
  mirror: string,
  { shown, ref }: { readonly shown: string; readonly ref: string },
  signal: AbortSignal,
): Promise<string> {
  const isPlain = isGitRef(ref);
  const isCommit = /^[0-9a-f]{7,40}$/.test(ref);
  // People omit or add the v of a tag.
  const other = /^v\d/.test(ref) ? ref.slice(1) : `v${ref}`;
  const names =
    ref === 'HEAD'
      ? [MAIN_REF]
      : [`refs/tags/${ref}`, `refs/heads/${ref}`, ...(/^v?\d/.test(ref) ? [`refs/tags/${other}`] : [])];
  // A full commit id is never a ref name, so no branch can take its place.
  const isWhole = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref);
  const named = isPlain && !isWhole ? await findFirst(git, mirror, names, signal) : null;
  const byId = isPlain && isCommit ? await findById(git, mirror, ref, signal) : null;
  if (named !== null && byId !== null && named !== byId)
    throw new AppError('REF_AMBIGUOUS', { ref, commit: named.slice(0, 12) });
  const commit = named ?? byId;
  if (commit !== null) return commit;
  const there = await listRefs(git, mirror, { of: ['refs/tags', 'refs/heads'], count: LISTED_REFS, signal });
  const known = formatNameList(ref, there);
  throw new AppError('NOT_FOUND', { kind: say('repository.refOf', { repository: shown }), name: ref, known });
}

async function findFirst(
  git: Git,
  mirror: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<string | null> {
  for (const name of names) {
    const commit = await findCommit(git, mirror, name, signal);
    if (commit !== null) return commit;
  }
  return null;
}

async function findById(git: Git, mirror: string, id: string, signal: AbortSignal): Promise<string | null> {
  const { stdout } = await git(['-C', mirror, 'rev-parse', `--disambiguate=${id}`], { signal });
  const objects = stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => /^[0-9a-f]{40,64}$/.test(line));
  const commits: string[] = [];
  for (const object of objects.slice(0, LISTED_REFS)) {
    const { stdout: kind } = await git(['-C', mirror, 'cat-file', '-t', object], { signal });
    if (kind.toString('utf8').trim() === 'commit') commits.push(object);
  }
  return commits.length === 1 ? (commits[0] ?? null) : null;
}
