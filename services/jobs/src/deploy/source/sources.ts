import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { listNames } from '@signalbox/contracts/nearest-name';
import { HOUR_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import type { GitCell, GitRoom } from '../../sandbox/git-room.ts';
import { createGit, type Git } from './git.ts';
import { pinRepository, type Pin } from './public-address.ts';
import { recognize } from './recognition.ts';
import { parseRepository, type RepositoryAddress } from './repository-address.ts';

/** A commit of a repository that was fetched. */
export interface Source {
  readonly commit: string;
  /** `1.1.0-3f2a9c1`: a version, or the ref, and the commit. */
  readonly release: string;
  readonly file: ServiceFile;
  readonly hasDockerfile: boolean;
  /** SHA-256 of the Dockerfile; null without one. */
  readonly dockerfile: string | null;
  /** Writes the files of the commit into a new folder, without .git, and answers its path. */
  checkOut(name: string, signal: AbortSignal): Promise<string>;
}

export interface Sources {
  /**
   * The commit that a ref is now: a tag, else a branch, else a commit; a whole commit id is that commit, whatever is named like it.
   * `named`: what people call it, for the name of the release; the ref unless said otherwise. Throws REPOSITORY_REFUSED,
   * REPOSITORY_UNREADABLE, NOT_FOUND (the ref, with those that there are), REF_AMBIGUOUS (a tag or branch is named like the beginning of
   * another commit), SERVICE_FILE_INVALID.
   */
  open(repository: string, ref: string, signal: AbortSignal, named?: string): Promise<Source>;
  /** Removes a checkout; harmless when there is none. */
  discard(name: string): Promise<void>;
}

const FILE = 'signalbox.json';
const FILE_BYTES = 65_536;
const LISTED_REFS = 200;
const HEAD = 'refs/signalbox/head';
/** A checkout lives as long as its build; what a killed process left behind is removed after this. */
const LEFT_BEHIND_MS = 6 * HOUR_MS;
const PUSHED = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

/**
 * Repositories, mirrored below `dir`, which is ours alone. Folders on this machine are read only below `repositoriesDirs`, and not where
 * `closed` folders are. `cell`: what a fetch is locked into.
 */
export function createSources(options: {
  readonly dir: string;
  readonly repositoriesDirs: readonly string[];
  readonly closed: readonly string[];
  readonly cell: GitCell | null;
  readonly path: string;
  /** Hosts of repositories that may be at addresses which are not public. */
  readonly privateHosts: readonly string[];
}): Sources {
  const { dir, repositoriesDirs, closed, cell, path, privateHosts } = options;
  const checkouts = join(dir, 'checkouts');
  const git = createGit({ path, home: dir, cell });
  /** One fetch of a mirror at a time; another process has git's own locks. */
  const queues = new Map<string, Promise<unknown>>();
  const inTurn = <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const turn = (queues.get(key) ?? Promise.resolve()).then(work);
    queues.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  };
  return {
    async open(repository, ref, signal, named = ref) {
      const address = parseRepository(repository, repositoriesDirs, [dir, ...closed]);
      const mirror = join(dir, 'mirrors', `${createHash('sha256').update(address.url).digest('hex').slice(0, 24)}.git`);
      const commit = await inTurn(mirror, async () => {
        // A whole commit never changes: what was fetched before can be built again while the repository is away.
        if (await hasCommit(git, mirror, ref, signal))
          return resolveRef(git, mirror, { from: null, shown: address.shown, ref }, signal);
        const from = { ...address, pin: await pinRepository(address, privateHosts) };
        await fetchAll(git, mirror, from, signal);
        return resolveRef(git, mirror, { from, shown: address.shown, ref }, signal);
      });
      const { file, dockerfile, version } = await readCommit(git, mirror, commit, signal);
      return {
        commit,
        release: nameRelease(named, commit, version),
        file,
        hasDockerfile: dockerfile !== null,
        dockerfile,
        checkOut: (name, stop) => checkOut(git, { mirror, commit, folder: join(checkouts, name) }, stop),
      };
    },
    async discard(name) {
      await rm(join(checkouts, name), { recursive: true, force: true });
      await removeOld(checkouts);
    },
  };
}

/** `1.1.0-3f2a9c1`: the version that the ref is, or else that package.json says, or else the ref, and the commit. */
export function nameRelease(ref: string, commit: string, version: string | null): string {
  const short = commit.slice(0, 7);
  const named = /^v?(\d+(?:\.\d+)+(?:[-+.][A-Za-z0-9.+-]*)?)$/.exec(ref)?.[1];
  if (named) return `${named}-${short}`.slice(0, 120);
  if (version !== null) return `${version}-${short}`;
  if (commit.startsWith(ref)) return `commit-${short}`;
  return `${ref.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 80)}-${short}`;
}

/** A repository whose host was resolved. */
type Reachable = RepositoryAddress & { readonly pin: Pin };

async function fetchAll(git: Git, mirror: string, address: Reachable, signal: AbortSignal): Promise<void> {
  const fetch = async (): Promise<string | null> => {
    if (!existsSync(join(mirror, 'HEAD'))) {
      mkdirSync(mirror, { recursive: true, mode: 0o700 });
      const made = await git(['init', '--quiet', '--bare', '--template=', mirror], { signal });
      if (made.code !== 0) return made.stderr;
    }
    const words = ['fetch', '--quiet', '--force', '--prune', '--no-tags', '--no-recurse-submodules', '--no-auto-gc'];
    const options = { signal, protocols: address.protocol, env: address.pin.env, room: roomOf(mirror, address) };
    const { code, stderr } = await git(
      [...address.pin.words, '-C', mirror, ...words, '--', address.url, ...PUSHED],
      options,
    );
    return code === 0 ? null : stderr;
  };
  const trouble = await fetch();
  if (trouble === null) return;
  // A process that was killed in the middle leaves locks or half a mirror: a new one is whole.
  const isBroken = /\.lock|corrupt|not a git repository|loose object|bad object|unable to read/i.test(trouble);
  if (isBroken) await rm(mirror, { recursive: true, force: true });
  const again = isBroken ? await fetch() : trouble;
  if (again === null) return;
  const detail = shortly(again);
  throw new AppError('REPOSITORY_UNREADABLE', { repository: address.shown, detail }, new Error(again));
}

/** What the repository names as its main branch. */
async function fetchHead(git: Git, mirror: string, address: Reachable, signal: AbortSignal): Promise<void> {
  const { pin, url, protocol } = address;
  const quietly = ['fetch', '--quiet', '--force', '--no-tags', '--no-recurse-submodules', '--no-auto-gc'];
  const words = [...pin.words, '-C', mirror, ...quietly, '--', url, `+HEAD:${HEAD}`];
  await git(words, { signal, protocols: protocol, env: pin.env, room: roomOf(mirror, address) });
}

function roomOf(mirror: string, { url, protocol }: RepositoryAddress): GitRoom {
  return { mirror, local: protocol === 'file' ? url : null, isSsh: protocol === 'ssh' };
}

async function hasCommit(git: Git, mirror: string, ref: string, signal: AbortSignal): Promise<boolean> {
  if (!/^[0-9a-f]{40}$/.test(ref) || !existsSync(join(mirror, 'HEAD'))) return false;
  return (await git(['-C', mirror, 'cat-file', '-e', `${ref}^{commit}`], { signal })).code === 0;
}

async function resolveRef(
  git: Git,
  mirror: string,
  { from, shown, ref }: { readonly from: Reachable | null; readonly shown: string; readonly ref: string },
  signal: AbortSignal,
): Promise<string> {
  if (ref === 'HEAD' && from) await fetchHead(git, mirror, from, signal);
  const find = async (name: string): Promise<string | null> => {
    const words = ['-C', mirror, 'rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`];
    const { code, stdout } = await git(words, { signal });
    const commit = stdout.toString('utf8').trim();
    return code === 0 && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
  };
  const isPlain = /^[A-Za-z0-9_][A-Za-z0-9_./+@-]{0,199}$/.test(ref) && !ref.includes('..') && !ref.includes('@{');
  const isCommit = /^[0-9a-f]{7,40}$/.test(ref);
  // People leave the v of a tag out, or say it where there is none.
  const other = /^v\d/.test(ref) ? ref.slice(1) : `v${ref}`;
  const heads =
    ref === 'HEAD'
      ? [HEAD]
      : [`refs/tags/${ref}`, `refs/heads/${ref}`, ...(/^v?\d/.test(ref) ? [`refs/tags/${other}`] : [])];
  // A branch or tag with the name of a commit must not take its place: a whole id is never a name.
  const isWhole = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref);
  const named = isPlain && !isWhole ? await firstOf(heads, find) : null;
  const byId = isPlain && isCommit ? await findById(git, mirror, ref, signal) : null;
  if (named !== null && byId !== null && named !== byId)
    throw new AppError('REF_AMBIGUOUS', { ref, commit: named.slice(0, 12) });
  const commit = named ?? byId;
  if (commit !== null) return commit;
  const { stdout } = await git(
    [
      '-C',
      mirror,
      'for-each-ref',
      '--format=%(refname:short)',
      '--sort=-creatordate',
      `--count=${LISTED_REFS}`,
      'refs/tags',
      'refs/heads',
    ],
    { signal },
  );
  const known = listNames(ref, stdout.toString('utf8').split('\n').filter(Boolean));
  throw new AppError('NOT_FOUND', { kind: `tag, branch or commit of ${shown}`, name: ref, known });
}

async function firstOf(
  names: readonly string[],
  find: (name: string) => Promise<string | null>,
): Promise<string | null> {
  for (const name of names) {
    const commit = await find(name);
    if (commit !== null) return commit;
  }
  return null;
}

/** The one commit whose id begins so, whatever tags and branches are called. */
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

async function readCommit(
  git: Git,
  mirror: string,
  commit: string,
  signal: AbortSignal,
): Promise<{ readonly file: ServiceFile; readonly dockerfile: string | null; readonly version: string | null }> {
  const show = async (name: string): Promise<string | null> => {
    const { code, stdout } = await git(['-C', mirror, 'cat-file', 'blob', `${commit}:${name}`], {
      signal,
      maxBytes: FILE_BYTES,
    });
    return code === 0 ? stdout.toString('utf8') : null;
  };
  const list = async (): Promise<ReadonlySet<string>> => {
    const { stdout } = await git(['-C', mirror, 'ls-tree', '-z', '--name-only', commit], {
      signal,
      maxBytes: FILE_BYTES,
    });
    return new Set(stdout.toString('utf8').split('\0'));
  };
  const [text, dockerfile, manifest] = [await show(FILE), await show('Dockerfile'), await show('package.json')];
  const isBare = text === null && dockerfile === null;
  const recognized = isBare
    ? recognize({ names: await list(), packageJson: manifest, procfile: await show('Procfile') })
    : null;
  const version = z.object({ version: z.string().regex(/^\d[A-Za-z0-9.+-]{0,60}$/) }).safeParse(parseJson(manifest));
  return {
    file: recognized ?? readServiceFile(text, commit, dockerfile !== null),
    dockerfile: dockerfile === null ? null : createHash('sha256').update(dockerfile).digest('hex'),
    version: version.success ? version.data.version : null,
  };
}

function readServiceFile(text: string | null, commit: string, hasDockerfile: boolean): ServiceFile {
  const invalid = (detail: string): AppError =>
    new AppError('SERVICE_FILE_INVALID', { file: `${FILE} of ${commit.slice(0, 7)}`, detail });
  if (text === null) {
    // An image says itself how it starts; everything else has a default.
    if (hasDockerfile) return ServiceFile.parse({});
    throw invalid(
      'there is none, and no Dockerfile, Procfile, package.json with a start script or index.html either; say at least {"start": ["…"]}',
    );
  }
  const json = parseJson(text);
  if (json === undefined) throw invalid('it is not JSON');
  const file = ServiceFile.safeParse(json);
  if (file.success) return file.data;
  const problems = file.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  throw invalid(problems.slice(0, 5).join('; ').slice(0, 400));
}

async function checkOut(
  git: Git,
  { mirror, commit, folder }: { readonly mirror: string; readonly commit: string; readonly folder: string },
  signal: AbortSignal,
): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const index = join(mirror, `index-${randomUUID()}`);
  const options = { signal, env: { GIT_INDEX_FILE: index } };
  try {
    for (const words of [
      ['read-tree', commit],
      ['checkout-index', '--all', '--force'],
    ]) {
      const { code, stderr } = await git(['--git-dir', mirror, '--work-tree', folder, ...words], options);
      if (code !== 0) throw new Error(`git ${words[0] ?? ''} ended with ${code ?? 'a signal'}: ${stderr}`);
    }
  } finally {
    await rm(index, { force: true });
  }
  return folder;
}

async function removeOld(checkouts: string): Promise<void> {
  for (const name of await readdir(checkouts).catch(() => [])) {
    const { mtimeMs } = await stat(join(checkouts, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) await rm(join(checkouts, name), { recursive: true, force: true });
  }
}

function parseJson(text: string | null): unknown {
  try {
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** The last line that git wrote, without an address that may hold a password. */
function shortly(stderr: string): string {
  const [line = 'git could not read it'] = stderr.split('\n').filter(Boolean).slice(-1);
  return line.replace(/\/\/[^/@\s]*@/g, '//').slice(0, 200);
}
