import { spawn, execFileSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { readLiveRunRecord } from '@signalbox/local/supervisor/instance';
import { discardPostgres } from '@signalbox/local/postgres/postgres';
import { discardRedis } from '@signalbox/local/redis/redis';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { makeRepository } from '../support/deploy-repository.ts';
import { endInstances } from '../support/end-instances.ts';
import { openPerson, type Person } from '../support/person.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { eventually, until } from '../support/until.ts';

// What people run: `npm start`, and somebody who deploys. Whatever breaks then, they read it once.

const MINUTE_MS = 60_000;
const START_MS = 2 * MINUTE_MS;
/** A service crashes ten times, nine seconds after each start, before it is stopped. */
const CRASHES_MS = 5 * MINUTE_MS;
const SERVING = `require('http').createServer((request, response) => response.end('ok')).listen(process.env.PORT, process.env.HOST);`;
const CRASHING = `${SERVING}
setTimeout(() => { console.error('Error: lost the database'); process.exit(1); }, 9000);`;

let dir = '';
let disk: SmallDisk;
let start: ChildProcess;
let output = '';
/** For what a test asserts, and nothing else. */
let owner: pg.Pool;
let ben: Person;
let ada: Person;

beforeAll(async () => {
  dir = makeTemporaryFolder('paged');
  mkdirSync(join(dir, 'repositories'), { recursive: true });
  disk = mountSmallDisk('targets', 1_024, join(dir, 'targets'));
  const { path } = loadTestConfig();
  const env = { PATH: path, SIGNALBOX_DATA_DIR: dir, SIMULATOR_PORT: String(await findFreePort()), MODEL: 'offline' };
  start = spawn(process.execPath, [join(getCheckoutPath(), 'infra/local/bootstrap.mjs'), 'start'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [start.stdout, start.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  await until(() => /Ctrl-C\n/.test(output) || start.exitCode !== null, START_MS);
  const { databaseUrl = '', simulatorUrl = '' } = readLiveRunRecord(dir) ?? {};
  owner = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  const speaker = { pool: owner, simulatorUrl: simulatorUrl ?? '', role: null };
  [ada, ben] = [await openPerson({ ...speaker, id: 1001 }), await openPerson({ ...speaker, id: 1002 })];
  for (const [name, program] of Object.entries({ crasher: CRASHING, killed: SERVING, squatted: SERVING })) {
    const files = { 'server.js': program, 'signalbox.json': '{"start":["node","server.js"]}' };
    makeRepository(join(dir, 'repositories', name)).release('1.0', files);
  }
}, START_MS + MINUTE_MS);

afterAll(async () => {
  await owner.end();
  start.kill('SIGTERM');
  if (start.exitCode === null && start.signalCode === null) await once(start, 'close');
  await endInstances(join(dir, 'targets'));
  await Promise.all([discardPostgres(join(dir, 'postgres')), discardRedis(join(dir, 'redis'))]);
  disk.unmount();
}, START_MS);

/** What Ben has read that matches, in order. */
const read = async (pattern: RegExp): Promise<readonly string[]> =>
  (await ben.heard()).map(({ text }) => text).filter((text) => pattern.test(text));
/** Waits until Ben has read it; a failure shows all that he has read instead. */
const reads = (pattern: RegExp, withinMs: number): Promise<readonly string[]> =>
  eventually(
    () => read(/./),
    (texts) => texts.some((text) => pattern.test(text)),
    withinMs,
  );

async function deploy(project: string, ref: string): Promise<void> {
  await ben.send(`deploy ${project} ${ref} to staging`);
  await reads(new RegExp(`✅ Deployed ${project} in staging: ${ref.replace('.', '\\.')}-`), 30_000);
}

async function register(project: string): Promise<void> {
  await ben.ask(`create a project called ${project} with repository ${join(dir, 'repositories', project)}`);
}

/** The port where a service is reached. */
async function portOf(project: string): Promise<number> {
  const { rows } = await owner.query<{ port: number }>('select port from services where project = $1', [project]);
  return rows[0]?.port ?? 0;
}

/** Ends a program and whatever looks after it, as a crash of the machine does. */
function killAll(project: string): void {
  const place = `/${project}/staging/`;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  for (const pid of pids.filter((one) => isOf(one, place)))
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended with the one before it.
    }
}

function isOf(pid: string, place: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
    return command.includes(place) || readlinkSync(`/proc/${pid}/cwd`).includes(place) || mounts.includes(place);
  } catch {
    return false; // it has ended
  }
}

/** Takes a port as soon as its holder is gone. */
async function squat(port: number): Promise<Server> {
  return eventually(
    () =>
      new Promise<Server | null>((resolve) => {
        const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nmine'));
        server.once('error', () => resolve(null));
        server.listen(port, '127.0.0.1', () => resolve(server));
      }),
    (server) => server !== null,
    10_000,
  ) as Promise<Server>; // it is what the condition asked for
}

test('the deployer of a service is notified of each of its incidents once', { timeout: 8 * MINUTE_MS }, async () => {
  await ada.ask('hello');
  for (const project of ['crasher', 'killed', 'squatted']) await register(project);
  await ben.ask('register the demo project');
  await deploy('crasher', '1.0');
  const crashed = readsOfTheLoop();
  crashed.catch(() => undefined); // awaited below, unless something else fails before
  await deploy('killed', '1.0');
  await deploy('squatted', '1.0');
  await deploy('demo', '1.0');
  await looked('demo');

  // A release that is slow.
  await deploy('demo', '1.1');
  await reads(/⚠️ demo in staging is degraded\. It answers in/, MINUTE_MS);
  // A program that was killed with what looks after it.
  killAll('killed');
  await reads(/✅ killed in staging has recovered/, MINUTE_MS);
  // A port that another program takes while the proxy is away.
  const port = await portOf('squatted');
  const proxy = readLiveRunRecord(dir)?.services.find(({ name }) => name === 'proxy');
  process.kill(proxy?.pid ?? 0, 'SIGKILL');
  const squatter = await squat(port);
  await reads(/⚠️ squatted in staging is down\..*taken by another program/, MINUTE_MS);
  squatter.close();
  await reads(/✅ squatted in staging is healthy again/, MINUTE_MS);
  await crashed;
  // A disk that is full.
  execFileSync('mount', ['-o', 'remount,size=150m', disk.folder]);
  await reads(/⚠️ killed in staging is degraded\..*disk/i, MINUTE_MS);
  execFileSync('mount', ['-o', 'remount,size=1024m', disk.folder]);
  await reads(/✅ killed in staging is healthy again/, MINUTE_MS);

  expect(await read(/crasher in staging is in a crash loop/)).toHaveLength(1);
  expect(await read(/⛔ crasher in staging is stopped/)).toHaveLength(1);
  expect(await read(/demo in staging is degraded\. It answers in/)).toHaveLength(1);
  expect(await read(/killed in staging has recovered/)).toHaveLength(1);
  expect(await read(/squatted in staging is down/)).toHaveLength(1);
  expect((await ada.heard()).filter(({ text }) => /staging/.test(text))).toEqual([]);
  const { rows } = await owner.query(`select subject, kind from incidents where told is distinct from '1002'`);
  expect(rows).toEqual([]);
});

/** Waits until the service was looked at well at least once. */
async function looked(project: string): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await owner.query<{ n: number }>(
        `select jsonb_array_length(coalesce(health -> 'samples', '[]')) as n from services where project = $1`,
        [project],
      );
      return rows[0]?.n ?? 0;
    },
    (samples) => samples > 0,
    MINUTE_MS,
  );
}

/** Ben reads of the loop, and once more when it is stopped for good. */
async function readsOfTheLoop(): Promise<void> {
  await reads(/🔁 crasher in staging is in a crash loop/, CRASHES_MS);
  await reads(/⛔ crasher in staging is stopped/, CRASHES_MS);
}
