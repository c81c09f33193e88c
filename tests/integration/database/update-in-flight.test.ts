import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeBackupBeforeMigrations } from '@signalbox/local/postgres/backup-before-migrations';
import { migrate } from '@signalbox/store/migrations/migrate';
import { listMigrations, MIGRATIONS_FOLDER } from '@signalbox/store/migrations/migration-files';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, openRawPool, type TestDatabase } from '../../support/database.ts';
import type { Person } from '../../support/person.ts';
import { openStack, type Stack } from '../../support/stack.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/until.ts';
import { openTerminal } from '../cli/terminal.ts';

// A database that release 0.2.0 left while 25 people waited, and this release beside it. The messages were put there by its own function.

/** The newest migration of release 0.2.0. */
const LAST = '113_audit';
const PEOPLE = Array.from({ length: 25 }, (_, n) => 83_001 + n);
/** Those whose turn a worker of the old release had begun, and those to whom a reply of it was on its way. */
const [BEGUN, REPLYING] = [PEOPLE.slice(0, 5), PEOPLE.slice(5, 8)];
const START_MS = 180_000;

let database: TestDatabase;
let owner: pg.Pool;
let stack: Stack | null = null;
const dataDir = makeTemporaryFolder('update');
const printed: string[] = [];
const keep = { print: (line: string) => printed.push(line), dataDir, agents: 'examples/bank', kept: 2 };

beforeAll(async () => {
  database = await createDatabase('template0');
  const folder = makeTemporaryFolder('migrations');
  for (const name of await listMigrations(MIGRATIONS_FOLDER))
    if (name <= LAST) copyFileSync(join(MIGRATIONS_FOLDER, `${name}.sql`), join(folder, `${name}.sql`));
  await migrate(database.url, folder);
  owner = openRawPool(database.url);
  await owner.query(
    `insert into users (user_key, channel, name, role) select n::text, 'telegram', 'P' || n, 'developer' from unnest($1::int[]) n`,
    [PEOPLE],
  );
  await owner.query('select * from inbox_admit($1)', [JSON.stringify(PEOPLE.map(toMessage))]);
  await owner.query(
    `update lanes set worker = 'old-worker', epoch = 3, begun = 1, lease_until = now() - interval '1 minute',
            taken_to = (select max(id) from inbox i where i.user_key = lanes.user_key) where user_key = any ($1)`,
    [BEGUN.map(String)],
  );
  for (const id of REPLYING)
    await owner.query(`select * from outbox_put($1)`, [
      JSON.stringify([{ ...toReply(id), body: { text: 'From the old release.', buttons: [] } }]),
    ]);
}, START_MS);
afterAll(async () => {
  await owner.end();
  await (stack ?? { close: () => database.drop() }).close();
}, START_MS);

function toMessage(id: number): object {
  const base = {
    channel: 'telegram',
    bot: 'signalbox',
    updateId: String(id),
    userKey: String(id),
    chatKey: `telegram:${id}`,
  };
  const traceId = `trc_${id}`;
  const envelope = {
    ...base,
    id: `telegram:signalbox:${id}`,
    traceId,
    at: new Date().toISOString(),
    kind: 'message',
    chatKind: 'private',
    name: `P${id}`,
    text: 'what is in progress?',
    messageId: null,
    button: null,
  };
  const how = { verdict: 'message', reason: null, press: null, edit: null, holdMs: 0, reply: null, stranger: null };
  return { ...base, ...how, kind: 'message', name: `P${id}`, traceId, envelope, rest: false, strangerEveryMs: 0 };
}

function toReply(id: number): object {
  return { key: `old:${id}`, chatKey: `telegram:${id}`, userKey: String(id), traceId: `trc_${id}`, priority: 5 };
}

const command = () => openTerminal({ DATABASE_URL: database.url, SIGNALBOX_RUN_FILE: '/none', MODEL: 'offline' });

it('`upgrade check` says what the update changes and what is in flight, and changes nothing', async () => {
  const { code, out } = await command()('upgrade', 'check');
  expect(code).toBe(0);
  expect(out).toMatch(/^Release \S+ runs \d+ migrations in this database:\n {2}114_provenance\n/);
  expect(out).toMatch(/A backup before them needs at most [\d.]+ MB for the database/);
  expect(out).toContain('In flight: 5 turns, 25 messages, 3 replies, 0 jobs, 0 requests. All of it waits');
  expect(out).toMatch(/Postgres +\d+/);
  expect((await owner.query('select 1 from kysely_migration where name > $1', [LAST])).rowCount).toBe(0);
});

it('an update makes a backup that can be read, and keeps the newest', { timeout: START_MS }, async () => {
  const backups = join(dataDir, 'backups', 'before-upgrade');
  expect(await makeBackupBeforeMigrations(database.url, { ...keep, kept: 0 })).toMatch(
    /no backup before \d+ migrations/,
  );
  for (let n = 0; n < 3; n++) {
    const line = (await makeBackupBeforeMigrations(database.url, keep)) ?? '';
    expect(printed).toEqual(
      Array.from({ length: n + 1 }, () => expect.stringMatching(/^making a backup before \d+ migrations/)),
    );
    expect(line).toMatch(
      /^backup before \d+ migrations: \S+before-upgrade\/signalbox-\S+\.backup \([\d.]+ MB; the newest 2 are kept\)/,
    );
    const file = /: (\S+)/.exec(line)?.[1] ?? '';
    const whole = await command()('restore', file, '--key', join(dataDir, 'keys/backup.key'), '--verify');
    expect(whole.out).toMatch(/^Whole: \d+ tables/);
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // their names hold the second
  }
  expect(readdirSync(backups)).toHaveLength(2);
  expect(statSync(join(dataDir, 'keys/backup.key')).mode & 0o777).toBe(0o600);
});

it(
  '25 people who waited for release 0.2.0 are answered once by this one, and nobody gets a card',
  { timeout: START_MS },
  async () => {
    // Nothing is delivered before the people have written to the bot in the simulated Telegram.
    await owner.query(
      `insert into chats (chat_key, not_before) select 'telegram:' || n, now() + interval '1 hour' from unnest($1::int[]) n
       on conflict (chat_key) do update set not_before = excluded.not_before`,
      [PEOPLE],
    );
    const opened = await openStack({ database, jobs: true });
    stack = opened;
    const people: Person[] = [];
    for (const id of PEOPLE) people.push(await opened.person(id));
    const unsettled = async (): Promise<number | null> =>
      (await opened.pool.query('select 1 from inbox where outcome is null')).rowCount;
    await eventually(unsettled, (count) => count === 0, 90_000);
    // A bot may write only to whom has written to it.
    for (const person of people) await person.send('/language en');
    await owner.query('update chats set not_before = null');
    const open = `select 1 from inbox where outcome is null union all select 1 from outbox where status in ('pending', 'sending')`;
    await eventually(
      async () => (await opened.pool.query(open)).rowCount,
      (count) => count === 0,
      90_000,
    );
    for (const person of people) {
      const heard = await person.heard();
      const isReplied = REPLYING.includes(person.id);
      const answers = heard.map(({ text }) => text).filter((text) => !text.includes('in English'));
      expect(answers.toSorted()).toEqual([
        ...(isReplied ? ['From the old release.'] : []),
        'I have nothing on record of you in that time.',
      ]);
      expect(
        heard.flatMap(({ buttons }) => (buttons ?? []).flat()).filter(({ text }) => /approve/i.test(text)),
      ).toEqual([]);
    }
    const left = await opened.pool
      .query(`select 'card' as what from approvals union all select 'letter' from dead_letters
    union all select outcome from inbox where channel = 'telegram' and outcome <> 'answered'`);
    expect(left.rows).toEqual([]);
    expect(await makeBackupBeforeMigrations(database.url, keep)).toBeNull();
    expect((await command()('upgrade', 'check')).out).toMatch(/^Release \S+ changes nothing in this database\./);
  },
);

it('`upgrade since` lists who did what since a backup', async () => {
  const before = await command()('upgrade', 'since', '2020-01-01T00:00:00Z');
  expect(before.out.trim().split('\n')).toHaveLength(1 + PEOPLE.length);
  expect(before.out).toMatch(/83001 +P83001 +2 +0/);
  expect((await command()('upgrade', 'since', '2999-01-01T00:00:00Z')).out).toContain('Nobody did anything');
  expect(await command()('upgrade', 'since', 'yesterday')).toMatchObject({ code: 2 });
});
