import { spawn, spawnSync } from 'node:child_process';
import { chownSync, closeSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../setup/free-port.ts';
import { readLogSize, openLog, readLogTail } from '../supervisor/log-file.ts';
import { ensureDatabase, POSTGRES_USER, toPostgresUrl, tryLogin } from './postgres-login.ts';
import { endWithParent } from '../parent-death.ts';
import { choosePostgresPlace, rememberPort, type PostgresPlace } from './postgres-place.ts';
import {
  identifyProcess,
  isRunning,
  readCommandLine,
  sendSignal,
  waitForExit,
} from '../supervisor/process-identity.ts';
import type { ProcessIdentity } from '../supervisor/process-identity.ts';
import { waitForLogin, type RunningServer } from '../server-login.ts';
import { SetupError } from '../setup-error.ts';

/** A running local server. `stop` waits until it is gone; idempotent. */
export interface LocalServer {
  readonly url: string;
  readonly pid: number;
  readonly adopted: boolean;
  readonly isRunning: () => boolean;
  readonly stop: () => Promise<void>;
  /** Kills it without waiting; the next start recovers. */
  readonly kill: () => void;
}

/** Generous: after a crash Postgres first replays its log, even on a slow disk. */
const READY_TIMEOUT_MS = 60_000;

/**
 * Settings of a local run: crash-safe (fsync stays on), reachable from this machine only, no unix sockets (which need a folder that two
 * users share), and a minimal log, because there are no replicas.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * Starts the Postgres of `dir`, creating its databases the first time, or adopts a running one that is provably ours. Resolves when a
 * login works and the database `signalbox` exists. Throws SetupError with the end of the server's log.
 */
export async function startPostgres(options: {
  readonly dir: string;
  readonly port?: number | undefined;
  readonly settings?: Readonly<Record<string, string>>;
  readonly logFile?: string;
}): Promise<LocalServer> {
  const place = choosePostgresPlace(options.dir);
  const settings = { ...SETTINGS, ...options.settings };
  const logFile = options.logFile ?? join(place.dir, 'server.log');
  createCluster(place, settings['fsync'] !== 'off');
  const running = await adoptPostmaster(place);
  const server = running ?? (await launch(place, { settings, logFile, port: options.port }));
  await ensureDatabase(toPostgresUrl(server.port, place.password, 'postgres'), 'signalbox');
  return {
    url: toPostgresUrl(server.port, place.password, 'signalbox'),
    pid: server.identity.pid,
    adopted: running !== null,
    isRunning: () => isRunning(server.identity),
    stop: () => stopPostmaster(server.identity),
    kill: () => sendSignal(server.identity, 'SIGQUIT', 'process'),
  };
}

/** Stops the Postgres of `dir` if it runs, and deletes its databases, wherever they are. For tests. */
export async function discardPostgres(dir: string): Promise<void> {
  if (!existsSync(dir)) return;
  const place = choosePostgresPlace(dir);
  const running = existsSync(place.data) ? await adoptPostmaster(place) : null;
  if (running !== null) await stopPostmaster(running.identity);
  const beside = ['.new', '.password'].map((ending) => `${place.data}${ending}`);
  for (const path of [place.data, ...beside, place.dir]) rmSync(path, { recursive: true, force: true });
}

function createCluster(place: PostgresPlace, sync: boolean): void {
  if (existsSync(join(place.data, 'PG_VERSION'))) return;
  if (existsSync(place.data)) {
    throw new SetupError(`${place.data} holds no complete Postgres databases: its PG_VERSION is missing.`, {
      remedy: `Restore it from a backup, or begin with empty databases: rm -r ${place.data}`,
    });
  }
  // Created under another name and renamed, so that an interrupted initdb leaves no databases.
  const draft = `${place.data}.new`;
  const passwordFile = `${place.data}.password`;
  rmSync(draft, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, place.password, { mode: 0o600 });
  if (place.owner) for (const path of [draft, passwordFile]) chownSync(path, place.owner.uid, place.owner.gid);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const login = [`--username=${POSTGRES_USER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const words = [`--pgdata=${draft}`, ...login, ...locale, ...(sync ? [] : ['--no-sync'])];
  const run = spawnSync(join(place.programs, 'bin/initdb'), words, { ...runAs(place), encoding: 'utf8' });
  rmSync(passwordFile, { force: true });
  if (run.status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    throw new SetupError('Postgres could not create its databases (initdb failed).', {
      output: `${run.stdout ?? ''}\n${run.stderr ?? ''}\n${run.error?.message ?? ''}`,
      remedy: `Check free disk space and the rights on ${place.dir}, or set DATABASE_URL to a Postgres of your own.`,
      cause: run.error,
    });
  }
  renameSync(draft, place.data);
}

/**
 * Finds a running postmaster: its pid file names a live process that was started on this folder and accepts our password. Removes stale
 * pid files.
 */
async function adoptPostmaster(place: PostgresPlace): Promise<RunningServer | null> {
  const pidFile = join(place.data, 'postmaster.pid');
  if (!existsSync(pidFile)) return null;
  const lines = readFileSync(pidFile, 'utf8').split('\n');
  const identity = identifyProcess(Number(lines[0]));
  if (identity === null || lines[1] !== place.data || !readCommandLine(identity.pid).includes(place.data)) {
    rmSync(pidFile, { force: true });
    return null;
  }
  const port = Number(lines[3]);
  if (await waitForLogin(identity, () => tryLogin(port, place.password, place.data))) return { identity, port };
  if (!isRunning(identity)) return null; // it was stopping
  throw new SetupError(`A Postgres (pid ${identity.pid}) uses ${place.data}, but does not let Signalbox log in.`, {
    remedy: `Stop it with: kill -INT ${identity.pid}`,
  });
}

interface LaunchOptions {
  readonly settings: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly port: number | undefined;
}

async function launch(place: PostgresPlace, options: LaunchOptions): Promise<RunningServer> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const port = options.port ?? (await findFreePort(place.port ?? undefined));
    const logStart = readLogSize(options.logFile);
    const postmaster = await tryLaunch(place, { ...options, port }, deadline);
    if (postmaster !== null) {
      rememberPort(place, port);
      return postmaster;
    }
    const output = readLogTail(options.logFile, logStart);
    // Temporary: another program took the port, or a killed server's processes still hold its memory.
    const isTemporary = output.includes('shared memory block') || (!options.port && output.includes('could not bind'));
    if (!isTemporary || Date.now() > deadline) {
      throw new SetupError('Postgres did not start.', {
        output,
        remedy: `The whole log is in ${options.logFile}. Or set DATABASE_URL to a Postgres of your own.`,
      });
    }
    await delay(200);
  }
}

async function tryLaunch(
  place: PostgresPlace,
  options: LaunchOptions & { readonly port: number },
  deadline: number,
): Promise<RunningServer | null> {
  const words = Object.entries(options.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openLog(options.logFile);
  // Detached: Ctrl-C reaches only the supervisor, which stops its servers in order. SIGINT on parent death: connections end and
  // everything is written.
  const { file, words: given } = endWithParent('INT', {
    file: join(place.programs, 'bin/postgres'),
    words: ['-D', place.data, '-p', String(options.port), ...words],
  });
  const child = spawn(file, [...given], {
    ...runAs(place),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const failure = new Promise<never>((_, reject) => child.once('error', reject));
  child.unref();
  const ready = (async (): Promise<RunningServer | null> => {
    const identity = identifyProcess(child.pid ?? 0);
    while (identity !== null && isRunning(identity)) {
      if ((await tryLogin(options.port, place.password, place.data)) === 'ours')
        return { identity, port: options.port };
      if (Date.now() > deadline) await stopPostmaster(identity);
      await delay(50);
    }
    return null;
  })();
  return Promise.race([ready, failure]);
}

/** Stops with SIGINT, the fast shutdown that writes everything; then SIGQUIT, which leaves recovery to the next start. */
async function stopPostmaster(identity: ProcessIdentity): Promise<void> {
  sendSignal(identity, 'SIGINT', 'process');
  if (await waitForExit(identity, 20_000)) return;
  sendSignal(identity, 'SIGQUIT', 'process');
  if (await waitForExit(identity, 10_000)) return;
  sendSignal(identity, 'SIGKILL', 'group');
  await waitForExit(identity, 5_000);
}

function runAs(place: PostgresPlace) {
  // A clean environment, so that PGPORT, PGDATA or a locale of the user do not change the server.
  return { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }, ...place.owner };
}
