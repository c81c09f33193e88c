import { spawn, spawnSync } from 'node:child_process';
import { chownSync, closeSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../setup/free-port.ts';
import { readLogSize, openLog, readLogTail } from '../supervisor/log-file.ts';
import { ensureDatabase, POSTGRES_USER, toPostgresUrl, tryLogin } from './postgres-login.ts';
import { endWithParent } from '../parent-death.ts';
import { choosePostgresLocation, rememberPort, type PostgresLocation } from './postgres-location.ts';
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

/** A running local server. `stop` resolves when the server has ended, and is idempotent. */
export interface LocalServer {
  readonly url: string;
  readonly pid: number;
  readonly adopted: boolean;
  readonly isRunning: () => boolean;
  readonly stop: () => Promise<void>;
  /** Kills the server without waiting; the next start recovers its data. */
  readonly kill: () => void;
}

/** Generous: after a crash Postgres first replays its log, even on a slow disk. */
const READY_TIMEOUT_MS = 60_000;

/**
 * Settings of a local run. Data survives crashes (fsync stays on). Only this machine can connect, without unix sockets, whose folder two
 * users would share. The write-ahead log is minimal, because there are no replicas.
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
 * Starts the Postgres of `dir`, or adopts one that already runs and is provably ours. The first start creates the databases. Resolves
 * when a login works and the database `signalbox` exists. Throws SetupError with the end of the server's log.
 */
export async function startPostgres(options: {
  readonly dir: string;
  readonly port?: number | undefined;
  readonly settings?: Readonly<Record<string, string>>;
  readonly logFile?: string;
}): Promise<LocalServer> {
  const location = choosePostgresLocation(options.dir);
  const settings = { ...SETTINGS, ...options.settings };
  const logFile = options.logFile ?? join(location.dir, 'server.log');
  createCluster(location, settings['fsync'] !== 'off');
  const running = await adoptPostmaster(location);
  const server = running ?? (await launch(location, { settings, logFile, port: options.port }));
  await ensureDatabase(toPostgresUrl(server.port, location.password, 'postgres'), 'signalbox');
  return {
    url: toPostgresUrl(server.port, location.password, 'signalbox'),
    pid: server.identity.pid,
    adopted: running !== null,
    isRunning: () => isRunning(server.identity),
    stop: () => stopPostmaster(server.identity),
    kill: () => sendSignal(server.identity, 'SIGQUIT', 'process'),
  };
}

/** Stops the Postgres of `dir` and deletes its databases. For tests. */
export async function discardPostgres(dir: string): Promise<void> {
  if (!existsSync(dir)) return;
  const location = choosePostgresLocation(dir);
  const running = existsSync(location.data) ? await adoptPostmaster(location) : null;
  if (running !== null) await stopPostmaster(running.identity);
  const beside = ['.new', '.password'].map((ending) => `${location.data}${ending}`);
  for (const path of [location.data, ...beside, location.dir]) rmSync(path, { recursive: true, force: true });
}

function createCluster(location: PostgresLocation, sync: boolean): void {
  if (existsSync(join(location.data, 'PG_VERSION'))) return;
  if (existsSync(location.data)) {
    throw new SetupError(`${location.data} holds no complete Postgres databases: its PG_VERSION is missing.`, {
      remedy: `Restore it from a backup, or begin with empty databases: rm -r ${location.data}`,
    });
  }
  // Created under a temporary name and renamed, so that an interrupted initdb leaves no half-made databases.
  const draft = `${location.data}.new`;
  const passwordFile = `${location.data}.password`;
  rmSync(draft, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, location.password, { mode: 0o600 });
  if (location.owner) for (const path of [draft, passwordFile]) chownSync(path, location.owner.uid, location.owner.gid);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const login = [`--username=${POSTGRES_USER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const args = [`--pgdata=${draft}`, ...login, ...locale, ...(sync ? [] : ['--no-sync'])];
  const run = spawnSync(join(location.programs, 'bin/initdb'), args, { ...runAs(location), encoding: 'utf8' });
  rmSync(passwordFile, { force: true });
  if (run.status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    throw new SetupError('Postgres could not create its databases (initdb failed).', {
      output: `${run.stdout ?? ''}\n${run.stderr ?? ''}\n${run.error?.message ?? ''}`,
      remedy: `Check free disk space and the rights on ${location.dir}, or set DATABASE_URL to a Postgres of your own.`,
      cause: run.error,
    });
  }
  renameSync(draft, location.data);
}

/** Finds a running Postgres: its pid file names a process of this folder that accepts our password. Removes a stale pid file. */
async function adoptPostmaster(location: PostgresLocation): Promise<RunningServer | null> {
  const pidFile = join(location.data, 'postmaster.pid');
  if (!existsSync(pidFile)) return null;
  const lines = readFileSync(pidFile, 'utf8').split('\n');
  const identity = identifyProcess(Number(lines[0]));
  if (identity === null || lines[1] !== location.data || !readCommandLine(identity.pid).includes(location.data)) {
    rmSync(pidFile, { force: true });
    return null;
  }
  const port = Number(lines[3]);
  if (await waitForLogin(identity, () => tryLogin(port, location.password, location.data))) return { identity, port };
  if (!isRunning(identity)) return null; // the server was stopping
  throw new SetupError(`A Postgres (pid ${identity.pid}) uses ${location.data}, but does not let Signalbox log in.`, {
    remedy: `Stop it with: kill -INT ${identity.pid}`,
  });
}

interface LaunchOptions {
  readonly settings: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly port: number | undefined;
}

async function launch(location: PostgresLocation, options: LaunchOptions): Promise<RunningServer> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const port = options.port ?? (await findFreePort(location.port ?? undefined));
    const logStart = readLogSize(options.logFile);
    const postmaster = await tryLaunch(location, { ...options, port }, deadline);
    if (postmaster !== null) {
      rememberPort(location, port);
      return postmaster;
    }
    const output = readLogTail(options.logFile, logStart);
    // Another program may have taken the port, or processes of a killed server may still hold its memory: both end soon.
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
  location: PostgresLocation,
  options: LaunchOptions & { readonly port: number },
  deadline: number,
): Promise<RunningServer | null> {
  const args = Object.entries(options.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openLog(options.logFile);
  // Detached: Ctrl-C reaches only the supervisor, which stops its servers in order. SIGINT on parent death: connections end and
  // everything is written.
  const { file, args: given } = endWithParent('INT', {
    file: join(location.programs, 'bin/postgres'),
    args: ['-D', location.data, '-p', String(options.port), ...args],
  });
  const child = spawn(file, [...given], { ...runAs(location), detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  const failure = new Promise<never>((_, reject) => child.once('error', reject));
  child.unref();
  const ready = (async (): Promise<RunningServer | null> => {
    const identity = identifyProcess(child.pid ?? 0);
    while (identity !== null && isRunning(identity)) {
      if ((await tryLogin(options.port, location.password, location.data)) === 'ours')
        return { identity, port: options.port };
      if (Date.now() > deadline) await stopPostmaster(identity);
      await delay(50);
    }
    return null;
  })();
  return Promise.race([ready, failure]);
}

/** Stops Postgres with SIGINT, its fast shutdown. After 20 s sends SIGQUIT, which leaves recovery to the next start. */
async function stopPostmaster(identity: ProcessIdentity): Promise<void> {
  sendSignal(identity, 'SIGINT', 'process');
  if (await waitForExit(identity, 20_000)) return;
  sendSignal(identity, 'SIGQUIT', 'process');
  if (await waitForExit(identity, 10_000)) return;
  sendSignal(identity, 'SIGKILL', 'group');
  await waitForExit(identity, 5_000);
}

function runAs(location: PostgresLocation) {
  // The environment is clean, because PGPORT, PGDATA or a locale of the user would change the server.
  return { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }, ...location.owner };
}
