import { spawn, spawnSync } from 'node:child_process';
import { chownSync, closeSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../setup/free-port.ts';
import { logSize, openLog, readLogTail } from '../supervisor/log-file.ts';
import { ensureDatabase, POSTGRES_USER, postgresUrl, tryLogin } from './postgres-login.ts';
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
import { SetupError } from '../setup-error.ts';

/** A local server that runs. `stop` waits until it is gone; idempotent. */
export interface LocalServer {
  readonly url: string;
  readonly pid: number;
  readonly adopted: boolean;
  readonly isRunning: () => boolean;
  readonly stop: () => Promise<void>;
  /** Ends it at once, without waiting; the next start recovers. */
  readonly kill: () => void;
}

/** First start after a crash replays the log: give a slow disk time. */
const READY_TIMEOUT_MS = 60_000;

/**
 * What a local run needs: crash-safe (fsync stays on), reachable from this machine only, and no unix sockets, which
 * would need a folder that two users share. No replica will ever follow, so the log holds the minimum.
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
 * Starts the Postgres whose databases belong to `dir`, creating them the first time, or takes over the one that runs
 * already when it is provably ours. Answers once a login works and the database `signalbox` exists.
 * Throws a SetupError that quotes the server's last words.
 */
export async function startPostgres(options: {
  readonly dir: string;
  readonly port?: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly logFile?: string;
}): Promise<LocalServer> {
  const place = choosePostgresPlace(options.dir);
  const settings = { ...SETTINGS, ...options.settings };
  const logFile = options.logFile ?? join(place.dir, 'server.log');
  createCluster(place, settings['fsync'] !== 'off');
  const running = await adoptPostmaster(place);
  const server = running ?? (await launch(place, { settings, logFile, port: options.port }));
  await ensureDatabase(postgresUrl(server.port, place.password, 'postgres'), 'signalbox');
  return {
    url: postgresUrl(server.port, place.password, 'signalbox'),
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

interface Postmaster {
  readonly identity: ProcessIdentity;
  readonly port: number;
}

function createCluster(place: PostgresPlace, sync: boolean): void {
  if (existsSync(join(place.data, 'PG_VERSION'))) return;
  if (existsSync(place.data)) {
    throw new SetupError(`${place.data} holds no complete Postgres databases: its PG_VERSION is missing.`, {
      remedy: `Restore it from a backup, or begin with empty databases: rm -r ${place.data}`,
    });
  }
  // Built beside its place and renamed: an initdb that was interrupted never looks like databases.
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
 * The postmaster that already runs on these databases, if its pid file names a live process, that process was started
 * on exactly this folder, and our password logs in. A pid file that names anyone else is stale and is removed.
 */
async function adoptPostmaster(place: PostgresPlace): Promise<Postmaster | null> {
  const pidFile = join(place.data, 'postmaster.pid');
  if (!existsSync(pidFile)) return null;
  const lines = readFileSync(pidFile, 'utf8').split('\n');
  const identity = identifyProcess(Number(lines[0]));
  if (identity === null || lines[1] !== place.data || !readCommandLine(identity.pid).includes(place.data)) {
    rmSync(pidFile, { force: true });
    return null;
  }
  const port = Number(lines[3]);
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (isRunning(identity)) {
    const login = await tryLogin(port, place.password, place.data);
    if (login === 'ours') return { identity, port };
    if (login !== 'absent' || Date.now() > deadline) {
      throw new SetupError(`A Postgres (pid ${identity.pid}) uses ${place.data}, but does not let Signalbox log in.`, {
        remedy: `Stop it with: kill -INT ${identity.pid}`,
      });
    }
    await delay(100);
  }
  return null; // it was on its way out, and took its pid file with it
}

interface LaunchOptions {
  readonly settings: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly port: number | undefined;
}

async function launch(place: PostgresPlace, options: LaunchOptions): Promise<Postmaster> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const port = options.port ?? (await findFreePort(place.port ?? undefined));
    const logStart = logSize(options.logFile);
    const postmaster = await tryLaunch(place, { ...options, port }, deadline);
    if (postmaster !== null) {
      rememberPort(place, port);
      return postmaster;
    }
    const output = readLogTail(options.logFile, logStart);
    // Another program took the port since we looked, or the processes of a killed server are still letting go of its memory.
    const passes = output.includes('shared memory block') || (!options.port && output.includes('could not bind'));
    if (!passes || Date.now() > deadline) {
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
): Promise<Postmaster | null> {
  const words = Object.entries(options.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openLog(options.logFile);
  // Detached: Ctrl-C in the terminal reaches only the supervisor, which stops its servers in the right order.
  // SIGINT, also when this process is gone: connections end, everything is written.
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
  const ready = (async (): Promise<Postmaster | null> => {
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

/** SIGINT is Postgres's fast shutdown: connections end, everything is written. SIGQUIT leaves recovery to the next start. */
async function stopPostmaster(identity: ProcessIdentity): Promise<void> {
  sendSignal(identity, 'SIGINT', 'process');
  if (await waitForExit(identity, 20_000)) return;
  sendSignal(identity, 'SIGQUIT', 'process');
  if (await waitForExit(identity, 10_000)) return;
  sendSignal(identity, 'SIGKILL', 'group');
  await waitForExit(identity, 5_000);
}

function runAs(place: PostgresPlace) {
  // A clean environment: PGPORT, PGDATA or a locale of the person at the terminal must not change the server.
  return { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }, ...place.owner };
}
