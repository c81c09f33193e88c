import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceFile, type CommitSummary } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { HOUR_MS } from '@signalbox/contracts/time';
import { cleanName } from '@signalbox/contracts/plain-name';
import { allowMissing, parseJson } from '@signalbox/contracts/system-error';
import { sayList } from '@signalbox/messages/list';
import { say } from '@signalbox/messages/say';
import { redactValue } from '@signalbox/safety/redact/redact';
import { z } from 'zod';
import type { GitConfinement } from '../sandbox/git-room.ts';
import { createGit, type Git } from './git.ts';
import {
  fetchMirror,
  findBranch,
  findCommit,
  hasCommit,
  listRefs,
  MAIN_REF,
  resolveRef,
  type ReachableRepository,
} from './mirror.ts';
import { ObjectReader } from '@signalbox/analysis/git/object-reader';
import { pinRepository, type RepositoryHosts } from './public-address.ts';
import { PAGE_FOLDERS, recognizeProgram } from './recognition.ts';
import { parseRepository, type RepositoryAddress } from './repository-address.ts';
import { openLogin, type Repository, type RepositoryLogin } from './repository-login.ts';
import { createTurns } from './turns.ts';
import { orderTags } from './version-order.ts';

export interface SourceCommit {
  readonly commit: string;
  /** The release's name, from the ref and the short commit id: `1.1.0-3f2a9c1`. */
  readonly release: string;
  readonly file: ServiceFile;
  /** True when signalbox.json is missing and `file` was derived from other files. */
  readonly isRecognized: boolean;
  /** True when the authors name no command that starts it: neither signalbox.json, Dockerfile, Procfile nor package.json does. */
  readonly isGuess: boolean;
  readonly hasDockerfile: boolean;
  readonly head: CommitSummary;
  /** SHA-256 of the Dockerfile; null without a Dockerfile. */
  readonly dockerfile: string | null;
  /** Writes the commit's files, without .git, into a new folder and returns its path. */
  checkOut(name: string, signal: AbortSignal): Promise<string>;
}

export interface OpenOptions {
  /** The ref's name in the release; by default the ref itself. */
  readonly named?: string;
}

export interface FetchedCommit {
  readonly mirror: string;
  readonly commit: string;
  readonly folder: string | null;
}

/** What a repository contains now. */
export interface RepositoryContents {
  readonly tags: readonly string[];
  /** Commit of the main branch; null without a main branch. */
  readonly main: string | null;
  readonly branch: string | null;
  /** Build and start commands of the main branch's commit, or the error that hides them; null without a main branch. */
  readonly start: Pick<SourceCommit, 'file' | 'hasDockerfile'> | AppError | null;
}

/** A mirror as the last fetch left it. */
export interface MirrorState {
  readonly mirror: string;
  readonly folder: string | null;
  /** Time of the last fetch, in milliseconds since 1970. */
  readonly fetchedAtMs: number;
  /** Returns the commit of the main branch and the branch's name; null when the mirror knows none. */
  readMain(signal: AbortSignal): Promise<{ readonly commit: string; readonly branch: string | null } | null>;
  /** True when the mirror has this full commit id. */
  has(commit: string, signal: AbortSignal): Promise<boolean>;
}

export interface SourceStore {
  /**
   * Opens the commit of a ref: a tag, else a branch, else a commit id. A full commit id always means that commit; `HEAD` means the main
   * branch. Throws REPOSITORY_REFUSED, REPOSITORY_UNREADABLE, NOT_FOUND (with known refs), REF_AMBIGUOUS, SERVICE_FILE_INVALID,
   * START_UNKNOWN, and errors of opening the login.
   */
  open(repository: Repository, ref: string, signal: AbortSignal, options?: OpenOptions): Promise<SourceCommit>;
  /** Fetches a ref; returns its commit and the mirror. Throws like `open`, except for errors of the service's files. */
  fetch(repository: Repository, ref: string, signal: AbortSignal): Promise<FetchedCommit>;
  /** Finds what was fetched of a repository, without asking its host; null when nothing was. Throws REPOSITORY_REFUSED. */
  findMirror(repository: Repository): Promise<MirrorState | null>;
  /** Fetches the repository and reads its contents. Throws like `open`. */
  look(repository: Repository, signal: AbortSignal): Promise<RepositoryContents>;
  discard(name: string): Promise<void>;
}

const FILE = 'signalbox.json';
const FILE_BYTES = 65_536;
const SHOWN_TAGS = 5;
/** The newest tags by date, among which the highest release is looked for. */
const ORDERED_TAGS = 2_000;
const LISTED_FOLDERS = 12;
/** Maximum bytes read of a commit object, whose message follows its signatures. */
const HEAD_BYTES = 16_384;
/** Maximum characters shown of a commit's subject. */
const SUBJECT_SHOWN = 120;
const AUTHOR_SHOWN = 60;
/** Checkouts older than this were left by a killed process. */
const LEFT_BEHIND_MS = 6 * HOUR_MS;

/** Mirrors repositories below `dir`. Reads local repositories below `repositoriesDirs`, but not in `closed`. `cell` confines fetches. */
export function createSourceStore(options: {
  readonly dir: string;
  readonly repositoriesDirs: readonly string[];
  readonly closed: readonly string[];
  readonly cell: GitConfinement | null;
  readonly path: string;
  readonly hosts: RepositoryHosts;
  /** Turns a login that git does not know into one that it takes. */
  readonly exchangeLogin?: (login: string, address: RepositoryAddress, signal: AbortSignal) => Promise<string>;
}): SourceStore {
  const {
    dir,
    repositoriesDirs,
    closed,
    cell,
    path,
    hosts,
    exchangeLogin = (login) => Promise.resolve(login),
  } = options;
  const checkouts = join(dir, 'checkouts');
  const git = createGit({ path, home: dir, cell });
  // Git's own locks protect a mirror against other processes.
  const inTurn = createTurns();
  const placeOf = ({ address: written, login }: Repository) => {
    const address = parseRepository(written, repositoriesDirs, [dir, ...closed]);
    return { address, mirror: join(dir, 'mirrors', nameMirror(address, login)) };
  };
  const reach = async (
    address: RepositoryAddress,
    login: RepositoryLogin | null,
    signal: AbortSignal,
  ): Promise<ReachableRepository> => ({
    ...address,
    pin: await pinRepository(address, hosts),
    login: login && (await exchangeLogin(await openLogin(login, address), address, signal)),
  });
  const fetch = async (repository: Repository, ref: string, signal: AbortSignal) => {
    const { address, mirror } = placeOf(repository);
    return inTurn(mirror, async () => {
      // A full commit id never changes, so a fetched commit can be built while the repository is away.
      if (!(await hasCommit(git, mirror, ref, signal)))
        await fetchMirror(git, mirror, await reach(address, repository.login, signal), {
          withMain: ref === 'HEAD',
          signal,
        });
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
    async findMirror(repository) {
      const { address, mirror } = placeOf(repository);
      return readMirror(git, mirror, address.folder);
    },
    async look(repository, signal) {
      const { address, mirror } = placeOf(repository);
      return inTurn(mirror, async () => {
        await fetchMirror(git, mirror, await reach(address, repository.login, signal), { withMain: true, signal });
        return readContents(git, { ...address, mirror, path }, signal);
      });
    },
    async discard(name) {
      await rm(join(checkouts, name), { recursive: true, force: true });
      await removeOld(checkouts);
    },
  };
}

/** Each login has its own mirror, because a mirror holds everything that its login may read. */
function nameMirror({ url }: RepositoryAddress, login: RepositoryLogin | null): string {
  const key = login === null ? url : `${url}\n${login.id}`;
  return `${createHash('sha256').update(key).digest('hex').slice(0, 24)}.git`;
}

async function readMirror(git: Git, mirror: string, folder: string | null): Promise<MirrorState | null> {
  const fetched = await allowMissing(stat(join(mirror, 'FETCH_HEAD')));
  if (fetched === null) return null;
  return {
    mirror,
    folder,
    fetchedAtMs: fetched.mtimeMs,
    readMain: async (signal) => {
      const commit = await findCommit(git, mirror, MAIN_REF, signal);
      if (commit === null) return null;
      return { commit, branch: await findBranch(git, mirror, commit, signal) };
    },
    has: (commit, signal) => hasCommit(git, mirror, commit, signal),
  };
}

/** Names a release by ref and commit, `1.1.0-3f2a9c1` or `main-3f2a9c1`; for a bare commit by the version in package.json. */
export function nameRelease(ref: string, commit: string, version: string | null): string {
  const short = commit.slice(0, 7);
  const named = /^v?(\d+(?:\.\d+)+(?:[-+.][A-Za-z0-9.+-]*)?)$/.exec(ref)?.[1];
  if (named) return `${named}-${short}`.slice(0, 120);
  if (!commit.startsWith(ref) && ref !== 'HEAD')
    return `${ref.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 80)}-${short}`;
  return `${version ?? 'commit'}-${short}`;
}

function treeOf(commit: string, folder: string | null): string {
  return `${commit}:${folder ?? ''}`;
}

type MirrorPlace = Pick<RepositoryAddress, 'folder' | 'shown'> & { readonly mirror: string; readonly path: string };

async function readContents(git: Git, at: MirrorPlace, signal: AbortSignal): Promise<RepositoryContents> {
  const { mirror } = at;
  const tags = orderTags(await listRefs(git, mirror, { of: ['refs/tags'], count: ORDERED_TAGS, signal }));
  const main = await findCommit(git, mirror, MAIN_REF, signal);
  const read = main === null ? null : readCommit(git, { ...at, commit: main }, signal);
  const start =
    (await read?.catch((error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    })) ?? null;
  return {
    tags: tags.slice(0, SHOWN_TAGS),
    main,
    branch: main === null ? null : await findBranch(git, mirror, main, signal),
    start: start && 'file' in start ? { file: start.file, hasDockerfile: start.dockerfile !== null } : start,
  };
}

/** Reads a service's files in a commit. Throws NOT_FOUND (the folder), SERVICE_FILE_INVALID, START_UNKNOWN. */
async function readCommit(
  git: Git,
  at: MirrorPlace & { readonly commit: string },
  signal: AbortSignal,
): Promise<
  Pick<SourceCommit, 'file' | 'isRecognized' | 'isGuess' | 'dockerfile' | 'head'> & { readonly version: string | null }
> {
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
      ? recognizeProgram({
          names: await listFiles(git, at, signal),
          packageJson: manifest,
          procfile: await show('Procfile'),
        })
      : null;
    const version = z
      .object({ version: z.string().regex(/^\d[A-Za-z0-9.+-]{0,60}$/) })
      .safeParse(parseJson(manifest ?? ''));
    return {
      file: recognized?.file ?? readServiceFile(text, commit, dockerfile !== null),
      isRecognized: text === null,
      isGuess: recognized?.isGuess ?? false,
      head: readHead((await reader.read(commit, HEAD_BYTES))?.content.toString('utf8') ?? ''),
      dockerfile: dockerfile === null ? null : createHash('sha256').update(dockerfile).digest('hex'),
      version: version.success ? version.data.version : null,
    };
  } finally {
    reader.close();
  }
}

function readHead(object: string): CommitSummary {
  const [headers = '', ...message] = object.split('\n\n');
  const subject = cleanName(message.join('\n\n').trimStart().split('\n')[0] ?? '');
  const author = cleanName(/^author (.*?) ?<[^<>\n]*> \d+ [-+]\d+$/m.exec(headers)?.[1] ?? '');
  return redactValue({ subject: clip(subject, SUBJECT_SHOWN), author: clip(author, AUTHOR_SHOWN) });
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}

async function listFiles(
  git: Git,
  { mirror, commit, folder }: MirrorPlace & { readonly commit: string },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const pages = PAGE_FOLDERS.map((one) => `${one}/index.html`);
  const words = ['-C', mirror, 'ls-tree', '-z', '--name-only', treeOf(commit, folder)];
  const limits = { signal, maxBytes: FILE_BYTES };
  const [root, below] = [await git(words, limits), await git([...words, '--', ...pages], limits)];
  return new Set(`${root.stdout.toString('utf8')}${below.stdout.toString('utf8')}`.split('\0'));
}

/** Lists a commit's folders down to the second level, for people who named a missing folder. */
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
    // A Dockerfile defines its own start command; everything else has a default.
    if (hasDockerfile) return ServiceFile.parse({});
    throw new AppError('START_UNKNOWN', { commit: commit.slice(0, 7), example: '{"start": ["node", "server.js"]}' });
  }
  const json = parseJson(text);
  if (json === undefined) throw invalid(say('repository.fileNoJson'));
  const file = ServiceFile.safeParse(json);
  if (file.success) return file.data;
  const problems = file.error.issues.map((issue) => {
    const what = issue.code === 'unrecognized_keys' ? sayUnknown(issue.keys) : issue.message;
    return `${issue.path.map(toPlainName).join('.') || FILE}: ${what}`;
  });
  throw invalid(problems.slice(0, 5).join('; ').slice(0, 400));
}

function sayUnknown(names: readonly string[]): string {
  return `Unrecognized ${names.length === 1 ? 'key' : 'keys'}: ${names.map((name) => `"${toPlainName(name)}"`).join(', ')}`;
}

/** Keys from an untrusted file are quoted only when they look like names. */
function toPlainName(name: PropertyKey): string {
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
