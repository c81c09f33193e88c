import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { discardPostgres } from '@signalbox/local/postgres/postgres';
import { discardRedis } from '@signalbox/local/redis/redis';
import { readLiveRunRecord } from '@signalbox/local/supervisor/instance';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { loadTestConfig } from '../support/config.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/*
 * A backup of a whole `npm start` while twenty people write, and its restore beside the original. The test gives the twenty people their
 * roles by SQL, and lets a request wait by SQL; all else goes through the commands that an operator runs.
 */

const bootstrap = join(getCheckoutPath(), 'infra/local/bootstrap.mjs');
const START_MS = 180_000;
const WRITERS = Array.from({ length: 20 }, (_, n) => 5001 + n);

/** What `backup --json` answers. */
const Told = z.object({ file: z.string(), key: z.string() });

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
}

let original = '';
let copy = '';
let backups = '';
let keyFile = '';
let file = '';
const ports = new Map<string, { readonly SIMULATOR_PORT: string; readonly GATEWAY_HTTP_PORT: string }>();
const started: Running[] = [];

beforeAll(async () => {
  [original, copy, backups] = ['original', 'copy', 'backups'].map((name) => makeTemporaryFolder(name)) as [
    string,
    string,
    string,
  ];
  backups = join(backups, 'new');
  for (const dir of [original, copy])
    ports.set(dir, { SIMULATOR_PORT: String(await findFreePort()), GATEWAY_HTTP_PORT: String(await findFreePort()) });
  await start(original);
}, START_MS);

afterAll(async () => {
  for (const one of started) {
    one.child.kill('SIGTERM');
    await end(one);
  }
  for (const dir of [original, copy])
    await Promise.all([discardPostgres(join(dir, 'postgres')), discardRedis(join(dir, 'redis'))]);
}, START_MS);

it('a backup that is killed leaves nothing that looks like one', { timeout: START_MS }, async () => {
  const locked = await withOwner(original, async (db) => {
    // The backup waits for this table, so that it is killed in the middle.
    await db.query('begin; lock table users in access exclusive mode');
    const program = join(getCheckoutPath(), 'services/cli/dist/main.js');
    const env = { SIGNALBOX_DATA_DIR: original, DATABASE_URL: readLiveRunRecord(original)?.databaseUrl };
    const child = spawn(process.execPath, [program, 'backup', backups], { env, stdio: 'ignore' });
    await until(() => existsSync(backups) && readdirSync(backups).some((name) => name.endsWith('.part')), 60_000);
    child.kill('SIGKILL');
    await once(child, 'exit');
    return readdirSync(backups);
  });
  expect(locked).toEqual([expect.stringMatching(/\.backup\.part$/)]);
});

it('a backup takes everything of one moment while twenty people write', { timeout: START_MS }, async () => {
  await say(original, 1001, 'create a project called tea for the web shop');
  mkdirSync(join(original, 'workspaces'), { recursive: true });
  writeFileSync(join(original, 'workspaces', 'big'), randomBytes(8_000_000));
  await withOwner(original, (db) =>
    db.query(
      `insert into users (user_key, channel, name, role) select n::text, 'telegram', 'P' || n, 'developer' from unnest($1::int[]) n`,
      [WRITERS],
    ),
  );
  const writing = new AbortController();
  const work = WRITERS.map((id) => keepWriting(id, writing.signal));
  try {
    await until(async () => (await count(original, 'inbox')) > 30, 60_000);
    await withOwner(original, letRequestWait);
    const made = await command(original, 'backup', backups, '--json');
    expect(made).toMatchObject({ code: 0 });
    const told = Told.parse(JSON.parse(made.output));
    file = told.file;
    keyFile = join(makeTemporaryFolder('key'), 'key');
    writeFileSync(keyFile, `${told.key}\n`, { mode: 0o600 });
  } finally {
    writing.abort();
    await Promise.all(work);
  }
  expect([statSync(file).mode & 0o777, statSync(backups).mode & 0o777].map((mode) => mode.toString(8))).toEqual([
    '600',
    '700',
  ]);
  expect(readFileSync(file, 'latin1')).not.toContain('web shop');
});

it('a backup that was changed, cut off, or read with another key is refused', { timeout: START_MS }, async () => {
  const whole = await command(original, 'restore', file, '--key', keyFile, '--verify');
  expect(whole.output).toMatch(/^Whole: \d+ tables and \d+ files/m);
  const bytes = readFileSync(file);
  const broken = (name: string, content: Buffer): string => {
    const path = join(mkdtempSync(join(makeTemporaryFolder('broken'), 'b-')), name);
    writeFileSync(path, content);
    return path;
  };
  const flipped = Buffer.from(bytes);
  flipped[flipped.length - 40] = (flipped[flipped.length - 40] ?? 0) ^ 1;
  const otherKey = broken('key', Buffer.from('A'.repeat(43)));
  for (const [damaged, key] of [
    [broken('flipped.backup', flipped), keyFile],
    [broken('cut.backup', bytes.subarray(0, -1000)), keyFile],
    [file, otherKey],
  ] as const) {
    const refused = await command(original, 'restore', damaged, '--key', key, '--verify');
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('This backup cannot be read: ')]);
  }
});

it('a restore replaces neither a database that somebody uses nor files', { timeout: START_MS }, async () => {
  const refused = await command(original, 'restore', file, '--key', keyFile);
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('so nothing is restored into it')]);
});

it('a restore that cannot go on says why, and leaves nothing behind', { timeout: START_MS }, async () => {
  const otherKey = join(makeTemporaryFolder('other'), 'key');
  const restore = ['signalbox', 'restore', file, '--key'];
  const refused = async (running: Running, reason: string): Promise<void> => {
    expect([await end(running), running.output()]).toEqual([1, expect.stringContaining(reason)]);
    expect(running.output()).not.toContain('node:');
    expect(listFiles(copy)).toEqual([]);
  };
  await refused(run(copy, ...restore, otherKey), 'The key file cannot be used: ENOENT');
  await refused(run(copy, ...restore, file), 'a key has 43 letters and digits');
  writeFileSync(otherKey, 'A'.repeat(43));
  await refused(run(copy, ...restore, otherKey), 'This backup cannot be read: the key does not fit');
  await refused(launch(copy, [...restore, keyFile], { AGENTS: 'none' }), 'Set AGENTS to the plug-ins of the original');

  writeFileSync(join(copy, 'sources.json'), '[]');
  const inTheWay = await command(copy, 'restore', file, '--key', keyFile);
  expect([inTheWay.code, inTheWay.output]).toEqual([
    1,
    expect.stringMatching(/^Nothing was restored: .* there already/m),
  ]);
  rmSync(join(copy, 'sources.json'));

  // The backup comes through a pipe, the second half of it slowly.
  const slow = join(makeTemporaryFolder('pipe'), 'slow.backup');
  execFileSync('mkfifo', [slow]);
  const restoring = launch(copy, ['signalbox', 'restore', slow, '--key', keyFile]);
  const writer = createWriteStream(slow).on('error', () => undefined);
  const bytes = readFileSync(file);
  writer.write(bytes.subarray(0, 4_000_000));
  await until(() => existsSync(join(copy, 'workspaces', 'big')), 60_000);
  process.kill(-Number(restoring.child.pid), 'SIGINT');
  for (let at = 4_000_000; restoring.child.exitCode === null && at < bytes.length; at += 20_000) {
    writer.write(bytes.subarray(at, at + 20_000));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  writer.destroy();
  await refused(restoring, 'Nothing was restored: it was interrupted.');
});

it(
  'a restored copy is served only after it is activated, and goes on where the backup was made',
  { timeout: 2 * START_MS },
  async () => {
    const restored = await command(copy, 'restore', file, '--key', keyFile);
    expect(restored).toMatchObject({ code: 0 });
    const tooEarly = run(copy, 'start');
    expect(await end(tooEarly)).toBe(1);
    expect(tooEarly.output()).toContain('nothing works in it yet');

    const activated = await command(copy, 'restore', '--activate');
    expect([activated.code, activated.output]).toEqual([0, expect.stringContaining('The copy is active.')]);
    await start(copy);
    expect(await say(copy, 1001, 'list projects')).toContain('tea');

    const taken = await withOwner(copy, (db) => listMessages(db, null));
    expect(taken.length).toBeGreaterThan(30);
    expect(
      await withOwner(original, (db) =>
        listMessages(
          db,
          taken.map(({ id }) => id),
        ),
      ),
    ).toEqual(taken);
    // Nobody decides in the copy on what was asked for in the original.
    await until(async () => (await count(copy, `approvals where status = 'pending'`)) === 0, 90_000);
    expect(await count(copy, `approvals where status = 'expired'`)).toBe(1);
    await until(async () => (await command(copy, 'audit', 'verify')).code === 0, 60_000);
    const replayed = await command(copy, 'replay', 'all');
    expect(replayed.output).toMatch(/, 0 differently, 0 could not be replayed/);
  },
);

/** Messages that were there at the moment of the backup, or those with the given ids. */
async function listMessages(db: pg.Client, ids: readonly string[] | null): Promise<readonly { readonly id: string }[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id, update_id, user_key, envelope from inbox
      where case when $1::bigint[] is null then received_at <= $2::timestamptz else id = any ($1) end order by id`,
    [ids, momentOf(file)],
  );
  return rows;
}

/** The files of a data folder, without those of Postgres. */
function listFiles(dir: string): readonly string[] {
  const isFile = (name: string): boolean => statSync(join(dir, name)).isFile();
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => !name.startsWith('postgres') && isFile(name));
}

/** The moment that the name of a backup says, in whole seconds. */
function momentOf(path: string): string {
  const [, day = '', time = ''] = /-(\d{8})T(\d{6})Z\.backup$/.exec(path) ?? [];
  return `${day} ${time} UTC`;
}

/** A request of Ada that nobody has decided on. */
async function letRequestWait(db: pg.Client): Promise<void> {
  await db.query(`insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status)
    values ('act_of_backup', 'turn_of_backup', '1001_001', '1001', 'create_project', '{}', 1, 'waiting')`);
  await db.query(
    `insert into approvals (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy,
      needed, role, solo, authors, card, expires_at)
    values ('apr_of_backup', 'act_of_backup', '1001', 'telegram:1001', '1001_001', 'turn_of_backup', $1, 'x', 'r', 'p', 1, 'operator', false,
      '{1001}', '{"what":"Create the project tea","change":[],"reach":"","undo":"","why":"","environment":null,"tainted":false}',
      now() + interval '1 day')`,
    ['0'.repeat(32)],
  );
}

/** A person who writes, waits a little, and writes again. */
async function keepWriting(id: number, signal: AbortSignal): Promise<void> {
  const url = readLiveRunRecord(original)?.simulatorUrl;
  const post = (path: string, body: object) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('/api/people', { id, name: `P${id}` });
  while (!signal.aborted) {
    await post('/api/messages', { from: id, text: 'list projects' });
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
}

async function withOwner<T>(dir: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: readLiveRunRecord(dir)?.databaseUrl });
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

async function count(dir: string, from: string): Promise<number> {
  const { rows } = await withOwner(dir, (db) => db.query<{ n: number }>(`select count(*)::int as n from ${from}`));
  return rows[0]?.n ?? 0;
}

async function say(dir: string, person: number, text: string): Promise<string> {
  const chat = run(dir, 'chat', '--as', String(person), '--json', text);
  expect({ code: await end(chat), output: chat.output() }).toMatchObject({ code: 0 });
  return chat.output();
}

async function command(
  dir: string,
  ...words: string[]
): Promise<{ readonly code: number | null; readonly output: string }> {
  const running = run(dir, 'signalbox', ...words);
  return { code: await end(running), output: running.output() };
}

async function start(dir: string): Promise<void> {
  const running = run(dir, 'start');
  started.push(running);
  await until(() => /Ctrl-C\n/.test(running.output()) || running.child.exitCode !== null, START_MS);
  expect(running.output()).toMatch(/^ready in /m);
}

const run = (dir: string, ...words: string[]): Running => launch(dir, words);

/** Starts a command as a terminal does, in a process group of its own. */
function launch(dir: string, words: readonly string[], more: Readonly<Record<string, string>> = {}): Running {
  const { path } = loadTestConfig();
  const env = { PATH: path, SIGNALBOX_DATA_DIR: dir, MODEL: 'offline', ...ports.get(dir), ...more };
  const child = spawn(process.execPath, [bootstrap, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return { child, output: () => output };
}

async function end({ child }: Running): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return child.exitCode;
}
