import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import { HOUR_MS } from '@signalbox/contracts/time';
import { allowMissing } from '@signalbox/contracts/system-error';
import type { GitConfinement } from '../sandbox/git-room.ts';
import { checkOut } from './checkout.ts';
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
import { isSameHost, pinRepository, type RepositoryHosts } from './public-address.ts';
import { parseRepository, type RepositoryAddress } from './repository-address.ts';
import { openLogin, type Repository, type RepositoryLogin } from './repository-login.ts';
import { createProgramLookUp } from '../ways/way.ts';
import { readCommit, type MirrorPlace, type ServiceCommit } from './service-commit.ts';
import { fetchSubmodules, type FetchSubmodule, type SubmoduleParent, type Submodules } from './submodules.ts';
import { createTurns } from './turns.ts';
import { orderTags } from './version-order.ts';

export interface SourceCommit extends Pick<ServiceCommit, 'choose' | 'settings' | 'head' | 'dockerfile'> {
  readonly commit: string;
  /** The release's name, from the ref and the short commit id: `1.1.0-3f2a9c1`. */
  readonly release: string;
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
  /** The ways of starting the main branch's commit, or the error that hides them; null without a main branch. */
  readonly start: Pick<ServiceCommit, 'choose'> | AppError | null;
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

const SHOWN_TAGS = 5;
/** The newest tags by date, among which the highest release is looked for. */
const ORDERED_TAGS = 2_000;
/** Checkouts older than this were left by a killed process. */
const LEFT_BEHIND_MS = 6 * HOUR_MS;

/** Mirrors repositories below `dir`. Reads local repositories below `repositoriesDirs`, but not in `closed`. `cell` confines fetches. */
export function createSourceStore(options: {
  readonly dir: string;
  readonly repositoriesDirs: readonly string[];
  readonly closed: readonly string[];
  readonly cell: GitConfinement | null;
  readonly path: string;
  /** True for a program that is installed on this machine; by default one in `path`. */
  readonly hasProgram?: (name: string) => boolean;
  readonly hosts: RepositoryHosts;
  /** Turns a login that git does not know into one that it takes. */
  readonly exchangeLogin?: ExchangeLogin;
}): SourceStore {
  const { dir, repositoriesDirs, closed, cell, path, hosts } = options;
  const { hasProgram = createProgramLookUp(path, () => true) } = options;
  const { exchangeLogin = (login) => Promise.resolve(login) } = options;
  const checkouts = join(dir, 'checkouts');
  const git = createGit({ path, home: dir, cell });
  // Git's own locks protect a mirror against other processes.
  const inTurn = createTurns();
  const parseBelow = (written: string, folders: readonly string[]) =>
    parseRepository(written, folders, [dir, ...closed]);
  const placeOf = ({ address: written, login }: Repository) => {
    const address = parseBelow(written, repositoriesDirs);
    return { address, mirror: join(dir, 'mirrors', nameMirror(address, login)) };
  };
  const reach = createReach(hosts, exchangeLogin);
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
  const findSubmodules = (parent: SubmoduleParent, { login }: Repository, signal: AbortSignal): Promise<Submodules> => {
    const parts = { git, inTurn, reach, parse: parseBelow, repositoriesDirs, mirrors: join(dir, 'mirrors') };
    return fetchSubmodules(git, parent, parent.address.folder, { fetch: fetchWith(parts, login, signal), signal });
  };
  return {
    async fetch(repository, ref, signal) {
      const { mirror, commit, address } = await fetch(repository, ref, signal);
      return { mirror, commit, folder: address.folder };
    },
    async open(repository, ref, signal, { named = ref } = {}) {
      const { address, mirror, commit } = await fetch(repository, ref, signal);
      const { found, missing } = await findSubmodules({ address, mirror, commit }, repository, signal);
      const { version, ...read } = await readCommit(
        git,
        { ...address, run: repository.run, mirror, path, hasProgram, commit, missing },
        signal,
      );
      return {
        ...read,
        commit,
        release: nameRelease(named, commit, version),
        checkOut: (name, stop) =>
          checkOut(git, { mirror, commit, folder: address.folder, found, to: join(checkouts, name) }, stop),
      };
    },
    async findMirror(repository) {
      const { address, mirror } = placeOf(repository);
      return readMirror(git, mirror, address.folder);
    },
    async look(repository, signal) {
      const { address, mirror } = placeOf(repository);
      const main = await inTurn(mirror, async () => {
        await fetchMirror(git, mirror, await reach(address, repository.login, signal), { withMain: true, signal });
        return findCommit(git, mirror, MAIN_REF, signal);
      });
      // A submodule may lie in the same repository, whose turn has to be over.
      const parent = main && { address, mirror, commit: main };
      const { missing } = parent ? await findSubmodules(parent, repository, signal) : { missing: [] };
      return readContents(git, { ...address, run: repository.run, mirror, path, hasProgram, missing, main }, signal);
    },
    async discard(name) {
      await rm(join(checkouts, name), { recursive: true, force: true });
      await removeOld(checkouts);
    },
  };
}

type ExchangeLogin = (login: string, address: RepositoryAddress, signal: AbortSignal) => Promise<string>;

function createReach(hosts: RepositoryHosts, exchangeLogin: ExchangeLogin) {
  return async (
    address: RepositoryAddress,
    login: RepositoryLogin | null,
    signal: AbortSignal,
  ): Promise<ReachableRepository> => ({
    ...address,
    pin: await pinRepository(address, hosts),
    login: login && (await exchangeLogin(await openLogin(login, address), address, signal)),
  });
}

interface SubmoduleParts {
  readonly git: Git;
  readonly inTurn: ReturnType<typeof createTurns>;
  readonly parse: (written: string, folders: readonly string[]) => RepositoryAddress;
  readonly reach: ReturnType<typeof createReach>;
  readonly repositoriesDirs: readonly string[];
  readonly mirrors: string;
}

/** Fetches submodules of a repository with `login`, which is shown to the repository's own host only. */
function fetchWith(parts: SubmoduleParts, login: RepositoryLogin | null, signal: AbortSignal): FetchSubmodule {
  const { git, inTurn, parse, reach, repositoriesDirs, mirrors } = parts;
  return async (from, url, commit) => {
    // A remote repository must not bring private folders of this machine into its build.
    const address = parse(url, from.protocol === 'file' ? repositoriesDirs : []);
    const own = isSameHost(from, address) ? login : null;
    const mirror = join(mirrors, nameMirror(address, own));
    await inTurn(mirror, async () => {
      if (await hasCommit(git, mirror, commit, signal)) return;
      await fetchMirror(git, mirror, await reach(address, own, signal), { withMain: false, signal });
      await resolveRef(git, mirror, { shown: address.shown, ref: commit }, signal);
    });
    return { address, mirror, commit };
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

async function readContents(
  git: Git,
  at: MirrorPlace & { readonly main: string | null },
  signal: AbortSignal,
): Promise<RepositoryContents> {
  const { mirror, main } = at;
  const tags = orderTags(await listRefs(git, mirror, { of: ['refs/tags'], count: ORDERED_TAGS, signal }));
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
    start: start !== null && 'choose' in start ? { choose: start.choose } : start,
  };
}

async function removeOld(checkouts: string): Promise<void> {
  for (const name of await readdir(checkouts).catch(() => [])) {
    const { mtimeMs } = await stat(join(checkouts, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) await rm(join(checkouts, name), { recursive: true, force: true });
  }
}
