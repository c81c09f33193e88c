import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve, delimiter } from 'node:path';
import { connect } from 'node:net';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { z } from 'zod';
import { findFreePort } from '../setup/free-port.ts';
import type { RedisUser } from '../supervisor/service-logins.ts';
import { readLogSize, openLog, readLogTail } from '../supervisor/log-file.ts';
import type { LocalServer } from '../postgres/postgres.ts';
import { endWithParent } from '../parent-death.ts';
import { stopProcess } from '../supervisor/instance.ts';
import { identifyProcess, isRunning, readCommandLine, sendSignal } from '../supervisor/process-identity.ts';
import { waitForLogin, type LoginResult, type RunningServer } from '../server-login.ts';
import { SetupError } from '../setup-error.ts';
import { fetchProgram, canRun, type RunnableProgram } from '../setup/debian-packages.ts';

const DEBIAN = {
  title: 'Redis',
  packages: ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'],
  file: 'usr/bin/redis-server',
};

/** Redis writes its append-only file within this time after SIGTERM. */
const STOP_MS = 15_000;

const RedisRecord = z.object({ password: z.string().min(20), port: z.number().int().nullable() });
type RedisRecord = z.infer<typeof RedisRecord>;

/**
 * Starts the Redis of `dir`, or adopts one that already runs and is provably ours. Fetches the program into `binDir` if needed. Resolves
 * when a login works. `settings` are lines of redis.conf; `users` are further logins. Throws SetupError with the end of the server's log.
 */
export async function startRedis(options: {
  readonly dir: string;
  readonly binDir: string;
  readonly path: string;
  readonly port?: number | undefined;
  readonly settings?: readonly string[];
  readonly users?: readonly RedisUser[];
  readonly report?: (line: string) => void;
}): Promise<LocalServer> {
  mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  const dir = realpathSync(options.dir);
  const record = loadRecord(dir);
  const adopted = await adoptRedis(dir, record);
  const users = options.users ?? [];
  const settings = [...(options.settings ?? []), ...users.map(({ name, rules }) => ['user', name, ...rules].join(' '))];
  const server = adopted ?? (await launch(dir, { ...options, record, settings }));
  const url = `redis://:${record.password}@127.0.0.1:${server.port}/0`;
  // An adopted server still has the passwords of an earlier start.
  if (adopted !== null) await setRedisUsers(url, users);
  return {
    url,
    pid: server.identity.pid,
    adopted: adopted !== null,
    isRunning: () => isRunning(server.identity),
    stop: () => stopProcess(server.identity, STOP_MS),
    kill: () => sendSignal(server.identity, 'SIGKILL', 'group'),
  };
}

async function setRedisUsers(url: string, users: readonly RedisUser[]): Promise<void> {
  const redis = openRedis(url, createLog('start', 'silent'));
  try {
    for (const { name, rules } of users) await redis.acl('SETUSER', name, ...rules);
  } finally {
    await closeRedis(redis);
  }
}

/** Stops the Redis of `dir` and deletes its data. For tests. */
export async function discardRedis(dir: string): Promise<void> {
  if (!existsSync(dir)) return;
  const folder = realpathSync(dir);
  const running = await adoptRedis(folder, loadRecord(folder));
  if (running !== null) await stopProcess(running.identity, STOP_MS);
  rmSync(folder, { recursive: true, force: true });
}

function loadRecord(dir: string): RedisRecord {
  const file = join(dir, 'server.json');
  if (existsSync(file)) return readRecord(file);
  const record = { password: randomBytes(24).toString('hex'), port: null };
  saveRecord(dir, record);
  return record;
}

function readRecord(file: string): RedisRecord {
  try {
    return RedisRecord.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new SetupError(`${file} cannot be read; it holds the password of the local Redis.`, {
      remedy: `Delete it: rm ${file}. Redis keeps its data and gets a new password.`,
      cause,
    });
  }
}

function saveRecord(dir: string, record: RedisRecord): void {
  const file = join(dir, 'server.json');
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Finds a running Redis: its pid file names a process with our configuration that accepts our password. Removes a stale pid file. */
async function adoptRedis(dir: string, record: RedisRecord): Promise<RunningServer | null> {
  const pidFile = join(dir, 'redis.pid');
  if (!existsSync(pidFile) || record.port === null) return null;
  const identity = identifyProcess(Number(readFileSync(pidFile, 'utf8').trim()));
  if (identity === null || !readCommandLine(identity.pid).includes(join(dir, 'redis.conf'))) {
    rmSync(pidFile, { force: true });
    return null;
  }
  const { port, password } = record;
  const login = (): Promise<LoginResult> => tryRedisLogin(port, password, { pid: identity.pid, dir });
  if (await waitForLogin(identity, login)) return { identity, port };
  if (!isRunning(identity)) return null; // the server was stopping
  throw new SetupError(`A Redis (pid ${identity.pid}) uses ${dir}, but does not let Signalbox log in.`, {
    remedy: `Stop it with: kill ${identity.pid}`,
  });
}

async function launch(
  dir: string,
  options: {
    readonly record: RedisRecord;
    readonly binDir: string;
    readonly path: string;
    readonly port?: number | undefined;
    readonly settings?: readonly string[];
    readonly report?: (line: string) => void;
  },
): Promise<RunningServer> {
  const program = await locateRedis(resolve(options.binDir), options.path, options.report ?? (() => undefined));
  const port = options.port ?? (await findFreePort(options.record.port ?? undefined));
  const record = { password: options.record.password, port };
  saveRecord(dir, record);
  const config = join(dir, 'redis.conf');
  writeFileSync(config, configuration(dir, record, options.settings ?? []), { mode: 0o600 });
  const logFile = join(dir, 'server.log');
  const logStart = readLogSize(logFile);
  const log = openLog(logFile);
  // Detached, so that Ctrl-C reaches only the supervisor, which stops its servers in order.
  const { file, args } = endWithParent('TERM', { file: program.file, args: [config] });
  const child = spawn(file, [...args], {
    env: { ...program.env, LC_ALL: 'C' },
    cwd: dir,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let spawnError = '';
  child.on('error', (error) => (spawnError = error.message)); // the child then has no pid
  child.unref();
  const identity = identifyProcess(child.pid ?? 0);
  const login = (pid: number): Promise<LoginResult> => tryRedisLogin(port, record.password, { pid, dir });
  if (identity !== null && (await waitForLogin(identity, () => login(identity.pid)))) return { identity, port };
  if (identity !== null) await stopProcess(identity, STOP_MS);
  throw new SetupError('Redis did not start.', {
    output: spawnError || readLogTail(logFile, logStart),
    remedy: `The whole log is in ${logFile}. Or set REDIS_URL to a Redis of your own.`,
  });
}

/** The password is in a file with mode 0600, because all users can read command lines. */
function configuration(dir: string, record: { password: string; port: number }, settings: readonly string[]): string {
  const quoted = JSON.stringify(dir);
  const lines = [
    'bind 127.0.0.1',
    `port ${record.port}`,
    `requirepass ${record.password}`,
    `dir ${quoted}`,
    `pidfile ${JSON.stringify(join(dir, 'redis.pid'))}`,
    'daemonize no',
    // Keeps the configuration file in the command line, by which a later start recognizes the server.
    'set-proc-title no',
    // Jobs and streams must not be evicted. A crash loses at most one second.
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    ...settings,
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Finds a Redis server: in `binDir`, otherwise from Debian's packages (apt downloads 7 MB in about 5 s, without root), otherwise
 * redis-server or valkey-server on PATH. Throws SetupError when all fail.
 */
export async function locateRedis(
  binDir: string,
  path: string,
  report: (line: string) => void,
): Promise<RunnableProgram> {
  const fetched = await fetchProgram(DEBIAN, binDir, report);
  if ('program' in fetched) return fetched.program;
  const folders = path.split(delimiter);
  const installed = ['redis-server', 'valkey-server'].flatMap((name) =>
    folders.map((folder) => ({ file: join(folder, name), env: {} })),
  );
  const program = installed.find((one) => existsSync(one.file) && canRun(one));
  if (program) return program;
  throw new SetupError('There is no Redis server on this machine, and none could be fetched.', {
    output: fetched.problem,
    remedy:
      'Check the network for apt-get, or install one (Debian: apt-get install redis-server; macOS: brew install redis), ' +
      'or set REDIS_URL to a Redis 7 or newer.',
  });
}

/** Logs in within two seconds and compares process id and folder. Sends raw commands, because a client library would reconnect. */
export async function tryRedisLogin(
  port: number,
  password: string,
  expected: { readonly pid: number; readonly dir: string },
): Promise<LoginResult> {
  const text = await ask(port, [`AUTH ${password}`, 'PING', 'INFO server', 'CONFIG GET dir', 'QUIT']);
  if (text === null) return 'absent';
  if (text.startsWith('-WRONGPASS') || text.startsWith('-ERR')) return 'refused';
  const ours = text.includes(`process_id:${expected.pid}\r\n`) && text.includes(`\r\n${expected.dir}\r\n`);
  if (!ours) return 'other';
  return text.includes('+PONG') ? 'ours' : 'absent'; // Redis sends no PONG while it loads its data
}

function ask(port: number, commands: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port, timeout: 2_000 });
    socket.setEncoding('utf8');
    socket.on('connect', () => socket.write(commands.map((command) => `${command}\r\n`).join('')));
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => undefined); // the event `close` follows
    socket.on('close', () => resolve(text === '' ? null : text));
  });
}
