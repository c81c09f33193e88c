import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceFile, type CommitHead } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { HOUR_MS } from '@signalbox/contracts/time';
import { cleanName } from '@signalbox/contracts/plain-name';
import { parseJson } from '@signalbox/contracts/system-error';
import { sayList } from '@signalbox/messages/list';
import { say } from '@signalbox/messages/say';
import { redactValue } from '@signalbox/safety/redact/redact';
import { z } from 'zod';
import type { GitCell } from '../sandbox/git-room.ts';
import { createGit, type Git } from './git.ts';
import { fetchMirror, findCommit, hasCommit, listRefs, MAIN, resolveRef, type Reachable } from './mirror.ts';
import { ObjectReader } from '@signalbox/analysis/git/object-reader';
import { pinRepository, type RepositoryHosts } from './public-address.ts';
import { PAGE_FOLDERS, recognize } from './recognition.ts';
import { parseRepository, type RepositoryAddress } from './repository-address.ts';
import { openLogin, type Repository, type RepositoryLogin } from './repository-login.ts';

/** A commit of a repository that was fetched. */
export interface Source {
  readonly commit: string;
  /** `1.1.0-3f2a9c1`: what the person called it, and the commit. */
  readonly release: string;
  readonly file: ServiceFile;
  /** It has no signalbox.json: `file` is what its other files say. */
  readonly isRecognized: boolean;
  readonly hasDockerfile: boolean;
  readonly head: CommitHead;
  /** SHA-256 of the Dockerfile; null without one. */
  readonly dockerfile: string | null;
  /** Writes the files of the commit into a new folder, without .git, and answers its path. */
  checkOut(name: string, signal: AbortSignal): Promise<string>;
}

export interface OpenOptions {
  /** What people call the ref, for the name of the release; the ref unless said otherwise. */
  readonly named?: string;
}

/** A commit in a mirror. */
export interface Fetched {
  /** Absolute path of the bare repository. */
  readonly mirror: string;
  readonly commit: string;
  /** The folder that is meant; null for all of it. */
  readonly folder: string | null;
}

/** What is in a repository now. */
export interface RepositoryContents {
  /** Its newest tags. */
  readonly tags: readonly string[];
  /** The commit of its main branch, and how that is called; null without one. */
  readonly main: string | null;
  readonly branch: string | null;
  /** How that commit is built and started, or why that is not known; null without a main branch. */
  readonly start: Pick<Source, 'file' | 'hasDockerfile'> | AppError | null;
}

export interface Sources {
  /**
   * The commit that a ref is now: a tag, else a branch, else a commit; a whole commit id is that commit, whatever is named like it.
   * `HEAD` is the main branch. Throws REPOSITORY_REFUSED, REPOSITORY_UNREADABLE, NOT_FOUND (the ref, with those that there are),
   * REF_AMBIGUOUS (a tag or branch is named like the beginning of another commit), SERVICE_FILE_INVALID, START_UNKNOWN, and what opening a
   * login throws.
   */
  open(repository: Repository, ref: string, signal: AbortSignal, options?: OpenOptions): Promise<Source>;
  /**
   * The commit that a ref is now, and the mirror that has it, for whoever reads its objects. Unless a whole commit is asked for that is there
   * already, all that the repository has is fetched. Throws as `open` does, but for what it says of a service.
   */
  fetch(repository: Repository, ref: string, signal: AbortSignal): Promise<Fetched>;
  /** What is in a repository now. Throws as `open` does. */
  look(repository: Repository, signal: AbortSignal): Promise<RepositoryContents>;
  /** Removes a checkout; harmless when there is none. */
  discard(name: string): Promise<void>;
}

const FILE = 'signalbox.json';
const FILE_BYTES = 65_536;
/** Tags that a person is shown. */
const SHOWN_TAGS = 5;
const LISTED_BRANCHES = 20;
const LISTED_FOLDERS = 12;
/** Signatures stand before the message of a commit. */
const HEAD_BYTES = 16_384;
/** What is read of a commit at a glance. In UTF-16 units. */
const SUBJECT_SHOWN = 120;
const AUTHOR_SHOWN = 60;
/** A checkout lives as long as its build; what a killed process left behind is removed after this. */
const LEFT_BEHIND_MS = 6 * HOUR_MS;

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
  readonly hosts: RepositoryHosts;
}): Sources {
  const { dir, repositoriesDirs, closed, cell, path, hosts } = options;
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
  /** A mirror holds what its login may read: whoever has another one, or none, reads from another mirror. */
  const placeOf = ({ address: written, login }: Repository) => {
    const address = parseRepository(written, repositoriesDirs, [dir, ...closed]);
    const key = login === null ? address.url : `${address.url}\n${login.id}`;
    return {
      address,
      mirror: join(dir, 'mirrors', `${createHash('sha256').update(key).digest('hex').slice(0, 24)}.git`),
    };
  };
  const reach = async (address: RepositoryAddress, login: RepositoryLogin | null): Promise<Reachable> => ({
    ...address,
    pin: await pinRepository(address, hosts),
    login: login && (await openLogin(login, address)),
  });
  const fetch = async (repository: Repository, ref: string, signal: AbortSignal) => {
    const { address, mirror } = placeOf(repository);
    return inTurn(mirror, async () => {
      // A whole commit never changes: what was fetched before can be built again while the repository is away.
      if (!(await hasCommit(git, mirror, ref, signal)))
        await fetchMirror(git, mirror, await reach(address, repository.login), { withMain: ref === 'HEAD', signal });
      const commit = await resolveRef(git, mirror, { shown: address.shown, ref }, signal);
      return { address, mirror, commit };
    });
  };
  return {
    async fetch(repository, ref, signal) {
      const { mirror, commit, address } = await fetch(repository, ref, signal);
      return { mirror, commit, folder: address.folder };
    },
    async open(repository, ref, signal, { named = ref } = {}) {
      const { address, mirror, commit } = await fetch(repository, ref, signal);
      const { version, ...read } = await readCommit(git, { ...address, mirror, path, commit }, signal);
      return {
        ...read,
        commit,
        release: nameRelease(named, commit, version),
        hasDockerfile: read.dockerfile !== null,
        checkOut: (name, stop) =>
          checkOut(git, { mirror, tree: treeOf(commit, address.folder), to: join(checkouts, name) }, stop),
      };
    },
    async look(repository, signal) {
      const { address, mirror } = placeOf(repository);
      return inTurn(mirror, async () => {
        await fetchMirror(git, mirror, await reach(address, repository.login), { withMain: true, signal });
        return readContents(git, { ...address, mirror, path }, signal);
      });
    },
    async discard(name) {
      await rm(join(checkouts, name), { recursive: true, force: true });
      await removeOld(checkouts);
    },
  };
}

/** `1.1.0-3f2a9c1`, `main-3f2a9c1`: what the person called it, and the commit; of a bare commit the version in package.json, if any. */
export function nameRelease(ref: string, commit: string, version: string | null): string {
  const short = commit.slice(0, 7);
  const named = /^v?(\d+(?:\.\d+)+(?:[-+.][A-Za-z0-9.+-]*)?)$/.exec(ref)?.[1];
  if (named) return `${named}-${short}`.slice(0, 120);
  if (!commit.startsWith(ref) && ref !== 'HEAD')
    return `${ref.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 80)}-${short}`;
  return `${version ?? 'commit'}-${short}`;
}

/** What git calls a folder of a commit, or all of it. */
function treeOf(commit: string, folder: string | null): string {
  return `${commit}:${folder ?? ''}`;
}

/** A repository in its mirror, and where git is found. */
type Place = Pick<RepositoryAddress, 'folder' | 'shown'> & { readonly mirror: string; readonly path: string };

/** What a mirror has now. */
async function readContents(git: Git, at: Place, signal: AbortSignal): Promise<RepositoryContents> {
  const { mirror } = at;
  const tags = await listRefs(git, mirror, { of: ['refs/tags'], count: SHOWN_TAGS, signal });
  const main = await findCommit(git, mirror, MAIN, signal);
  // Git fetches what HEAD stands for and not its name; of several branches at that commit it is most likely one of these.
  const there = { of: ['refs/heads'], pointsAt: main, count: LISTED_BRANCHES, signal };
  const branches = main === null ? [] : await listRefs(git, mirror, there);
  const read = main === null ? null : readCommit(git, { ...at, commit: main }, signal);
  const start =
    (await read?.catch((error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    })) ?? null;
  return {
    tags,
    main,
    branch: ['main', 'master'].find((name) => branches.includes(name)) ?? branches[0] ?? null,
    start: start && 'file' in start ? { file: start.file, hasDockerfile: start.dockerfile !== null } : start,
  };
}

/** What a commit says of a service: at its root, or in one folder. Throws NOT_FOUND (the folder), SERVICE_FILE_INVALID, START_UNKNOWN. */
async function readCommit(
  git: Git,
  at: Place & { readonly commit: string },
  signal: AbortSignal,
): Promise<Pick<Source, 'file' | 'isRecognized' | 'dockerfile' | 'head'> & { readonly version: string | null }> {
  const { mirror, commit, folder, shown, path } = at;
  const reader = new ObjectReader({ dir: mirror, path, signal });
  try {
    if ((await reader.read(treeOf(commit, folder), 0))?.kind !== 'tree') {
      const kind = say('repository.folderAt', { repository: shown, commit: commit.slice(0, 7) });
      const known = await listFolders(git, mirror, commit, signal);
      throw new AppError('NOT_FOUND', { kind, name: folder ?? '', known });
    }
    const show = async (name: string): Promise<string | null> => {
      const object = await reader.read(`${treeOf(commit, folder)}${folder === null ? '' : '/'}${name}`, FILE_BYTES);
      return object?.kind === 'blob' ? object.content.toString('utf8') : null;
    };
    const [text, dockerfile, manifest] = [await show(FILE), await show('Dockerfile'), await show('package.json')];
    const isBare = text === null && dockerfile === null;
    const recognized = isBare
      ? recognize({ names: await listFiles(git, at, signal), packageJson: manifest, procfile: await show('Procfile') })
      : null;
    const version = z
      .object({ version: z.string().regex(/^\d[A-Za-z0-9.+-]{0,60}$/) })
      .safeParse(parseJson(manifest ?? ''));
    return {
      file: recognized ?? readServiceFile(text, commit, dockerfile !== null),
      isRecognized: text === null,
      head: readHead((await reader.read(commit, HEAD_BYTES))?.content.toString('utf8') ?? ''),
      dockerfile: dockerfile === null ? null : createHash('sha256').update(dockerfile).digest('hex'),
      version: version.success ? version.data.version : null,
    };
  } finally {
    reader.close();
  }
}

/** The first line of a commit, and who wrote it, from the object. */
function readHead(object: string): CommitHead {
  const [headers = '', ...message] = object.split('\n\n');
  const subject = cleanName(message.join('\n\n').trimStart().split('\n')[0] ?? '');
  const author = cleanName(/^author (.*?) ?<[^<>\n]*> \d+ [-+]\d+$/m.exec(headers)?.[1] ?? '');
  return redactValue({ subject: clip(subject, SUBJECT_SHOWN), author: clip(author, AUTHOR_SHOWN) });
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}

/** The names of the files of a commit at its root, and of the pages below it. */
async function listFiles(
  git: Git,
  { mirror, commit, folder }: Place & { readonly commit: string },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const pages = PAGE_FOLDERS.map((one) => `${one}/index.html`);
  const words = ['-C', mirror, 'ls-tree', '-z', '--name-only', treeOf(commit, folder)];
  const limits = { signal, maxBytes: FILE_BYTES };
  const [root, below] = [await git(words, limits), await git([...words, '--', ...pages], limits)];
  return new Set(`${root.stdout.toString('utf8')}${below.stdout.toString('utf8')}`.split('\0'));
}

/** The folders of a commit, those at its root and one below, for people who named another. */
async function listFolders(git: Git, mirror: string, commit: string, signal: AbortSignal): Promise<string> {
  const { stdout } = await git(['-C', mirror, 'ls-tree', '-z', '-r', '-d', '--name-only', commit], {
    signal,
    maxBytes: FILE_BYTES,
  });
  const folders = stdout
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '' && name.split('/').length <= 2);
  return folders.length === 0 ? 'none' : sayList(folders.slice(0, LISTED_FOLDERS));
}

function readServiceFile(text: string | null, commit: string, hasDockerfile: boolean): ServiceFile {
  const invalid = (detail: string): AppError => {
    const file = say('repository.fileOf', { file: FILE, commit: commit.slice(0, 7) });
    return new AppError('SERVICE_FILE_INVALID', { file, detail });
  };
  if (text === null) {
    // An image says itself how it starts; everything else has a default.
    if (hasDockerfile) return ServiceFile.parse({});
    throw new AppError('START_UNKNOWN', { commit: commit.slice(0, 7), example: '{"start": ["node", "server.js"]}' });
  }
  const json = parseJson(text);
  if (json === undefined) throw invalid(say('repository.fileNoJson'));
  const file = ServiceFile.safeParse(json);
  if (file.success) return file.data;
  const problems = file.error.issues.map((issue) => {
    const what = issue.code === 'unrecognized_keys' ? sayUnknown(issue.keys) : issue.message;
    return `${issue.path.map(plainName).join('.') || FILE}: ${what}`;
  });
  throw invalid(problems.slice(0, 5).join('; ').slice(0, 400));
}

function sayUnknown(names: readonly string[]): string {
  return `Unrecognized ${names.length === 1 ? 'key' : 'keys'}: ${names.map((name) => `"${plainName(name)}"`).join(', ')}`;
}

/** A name that a stranger chose, where it is one: nothing else of it is said in our words. */
function plainName(name: PropertyKey): string {
  const text = String(name);
  return /^[\w.-]{1,40}$/.test(text) ? text : '…';
}

async function checkOut(
  git: Git,
  { mirror, tree, to }: { readonly mirror: string; readonly tree: string; readonly to: string },
  signal: AbortSignal,
): Promise<string> {
  await rm(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const index = join(mirror, `index-${randomUUID()}`);
  const options = { signal, env: { GIT_INDEX_FILE: index } };
  try {
    for (const words of [
      ['read-tree', tree],
      ['checkout-index', '--all', '--force'],
    ]) {
      const { code, stderr } = await git(['--git-dir', mirror, '--work-tree', to, ...words], options);
      if (code !== 0) throw new Error(`git ${words[0] ?? ''} ended with ${code ?? 'a signal'}: ${stderr}`);
    }
  } finally {
    await rm(index, { force: true });
  }
  return to;
}

async function removeOld(checkouts: string): Promise<void> {
  for (const name of await readdir(checkouts).catch(() => [])) {
    const { mtimeMs } = await stat(join(checkouts, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) await rm(join(checkouts, name), { recursive: true, force: true });
  }
}
