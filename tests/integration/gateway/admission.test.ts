import { ensureOwnerCode } from '@signalbox/store/people/owner-code';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { INBOUND_TOPIC, openHarness, PEOPLE, until, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

interface Row {
  readonly update_id: string;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly text: string;
  readonly user_key: string;
}

const inbox = (): Promise<readonly Row[]> =>
  harness.rows<Row>(`select update_id, outcome, reason, envelope ->> 'text' as text, user_key from inbox order by id`);
const untilRows = (count: number): Promise<readonly Row[]> =>
  until(`the inbox has ${count} rows`, async () => {
    const rows = await inbox();
    return rows.length >= count && rows;
  });
const say = (from: number, text: string, chat?: string): Promise<unknown> =>
  harness.people.post('/api/messages', { from, text, ...(chat ? { chat } : {}) });
const inject = (update: object): Promise<unknown> => harness.people.post('/api/updates', { update });
const update = (update_id: number, text: string, fields: object = {}): object => ({
  update_id,
  message: {
    message_id: update_id,
    date: 1_700_000_000,
    chat: { id: 1001, type: 'private' },
    from: { id: 1001, is_bot: false, first_name: 'Ada' },
    text,
    ...fields,
  },
});

describe('an update of Telegram', () => {
  test('an update that comes five times is admitted once', async () => {
    for (let time = 0; time < 5; time += 1) await inject(update(900, 'once'));
    await inject(update(901, 'end'));
    await harness.startGateway();
    await untilRows(2);
    expect((await inbox()).map((row) => row.text)).toEqual(['once', 'end']);
  });

  test("an update with the id of another person's update is admitted once, even when it arrives repeatedly", async () => {
    const gil = { chat: { id: 1002, type: 'private' }, from: { id: 1002, is_bot: false, first_name: 'Bea' } };
    await inject(update(900, 'of Ada'));
    for (let time = 0; time < 3; time += 1) await inject(update(900, 'of another', gil));
    await inject(update(900, 'of Ada'));
    await inject(update(901, 'end'));
    await harness.startGateway();
    await untilRows(3);
    expect((await inbox()).map(({ text, user_key }) => `${user_key} ${text}`).sort()).toEqual([
      '1001 end',
      '1001 of Ada',
      '1002 of another',
    ]);
    const ids = await harness.rows<{ id: string }>(`select distinct envelope ->> 'id' as id from inbox`);
    expect(ids).toHaveLength(3);
  });

  test('updates whose ids are out of order, have gaps or restart are admitted in order of arrival', async () => {
    const ids = [905, 901, 990, 903, 7, 8, 5_000_000];
    for (const id of ids) await inject(update(id, `n${id}`));
    await harness.startGateway();
    expect((await untilRows(ids.length)).map((row) => row.text)).toEqual(ids.map((id) => `n${id}`));
  });

  test('invalid updates are ignored with a reason, and delay no valid update', async () => {
    const nonsense = [
      {},
      { update_id: 'x' },
      { update_id: 31, message: null },
      { update_id: 32, message: { chat: {} } },
      { update_id: 33, callback_query: { id: 5 } },
      { update_id: 34, poll: {} },
      { update_id: 35, edited_message: { text: 'x' } },
      { update_id: 36, my_chat_member: [] },
      { update_id: -1 },
    ];
    for (const one of nonsense) await inject(one);
    await say(1001, 'still there?');
    const { lines } = await harness.startGateway();
    expect((await untilRows(1)).map((row) => row.text)).toEqual(['still there?']);
    const unread = lines.filter((line) => line['message'] === 'update not read').map((line) => line['reason']);
    expect(unread).toContain('malformed message');
    expect(lines.filter((line) => line['level'] === 'error')).toEqual([]);
  });

  test('a message of one megabyte is refused with one line, and is not stored', async () => {
    await harness.startGateway();
    await harness.people.post('/api/messages', { from: 1001, text: 'x'.repeat(1_000_000), raw: true });
    const [row] = await untilRows(1);
    expect(row).toMatchObject({ outcome: 'refused', reason: 'too long' });
    expect(row?.text).toHaveLength(200);
    const said = await until('she is told', async () => (await harness.said(1001))[0]);
    expect(said).toBe('That message has 1,000,000 characters; I read up to 16,000. Please shorten it or split it.');
  });

  test('a NUL or half a surrogate pair in a text does not stop its admission', async () => {
    await harness.startGateway();
    await inject(update(40, 'a\u0000b\ud800c', { from: { id: 1001, is_bot: false, first_name: '\u0000Ada\udc00' } }));
    expect((await untilRows(1))[0]?.text).toBe('ab\ufffdc');
  });

  test('an update that the database refuses becomes a dead letter, and the other updates are admitted', async () => {
    await harness.rows(`create function refuse() returns trigger language plpgsql as
      $$ begin if new.envelope ->> 'text' = 'poison' then raise exception 'no'; end if; return new; end $$`);
    await harness.rows('create trigger refuse before insert on inbox for each row execute function refuse()');
    for (const text of ['one', 'poison', 'two']) await say(1001, text);
    await harness.startGateway();
    expect((await untilRows(2)).map((row) => row.text)).toEqual(['one', 'two']);
    expect(await harness.rows('select source, reason from dead_letters')).toEqual([
      { source: 'inbound', reason: 'not storable' },
    ]);
  });
});

describe('who may speak', () => {
  test('a stranger gets one polite line an hour, and every message of theirs is recorded as refused', async () => {
    await harness.startGateway();
    for (const text of ['hello', 'hello?', '/status']) await say(1009, text);
    const rows = await untilRows(3);
    expect(rows.map((row) => [row.outcome, row.reason])).toEqual(Array(3).fill(['refused', 'stranger']));
    await until('the line is there', async () => (await harness.said(1009)).length > 0);
    await harness.rows(`update outbox set created_at = now() - interval '61 minutes' where user_key = '1009'`);
    await say(1009, 'and now?');
    await until('an hour later there is another', async () => (await harness.said(1009)).length === 2);
    expect((await harness.said(1009))[0]).toBe(
      'Hello Zoe, I only work for people I know. Ask an admin for an invitation (your id is 1009), and send me its code.',
    );
    expect(await harness.entries(INBOUND_TOPIC)).toEqual([]);
  });

  test('a stranger in a group is refused without an answer', async () => {
    await harness.startGateway();
    await harness.people.post('/api/people', { id: 1010, name: 'Max', inGroup: true });
    await say(1010, '@signalbox_bot hello', 'ops');
    expect(await untilRows(1)).toMatchObject([{ outcome: 'refused', reason: 'stranger' }]);
    await say(1001, '@signalbox_bot /whoami', 'ops');
    await until('Ada is answered', async () => (await harness.said(1001, 'ops')).length > 0);
    expect(await harness.said(1001, 'ops')).toHaveLength(1);
  });

  test.each(['the code alone', '/start with the code'])('%s makes a stranger the admin, once', async (how) => {
    await harness.rows(`update users set role = 'developer'`);
    const code = (await ensureOwnerCode(harness.databaseUrl)) ?? '';
    await harness.startGateway();
    await say(1009, 'AAAA-BBBB-CCCC');
    await until('a wrong code is refused', async () => (await harness.said(1009)).length === 1);
    await say(1009, how === 'the code alone' ? code.toLowerCase() : `/start ${code}`);
    await until('the right one is welcomed', async () => (await harness.said(1009)).length === 2);
    await say(1002, code);
    await untilRows(3);
    expect(await harness.said(1009)).toEqual([
      'That code is not valid. Check that it is complete, or ask for a new one.',
      'Welcome, Zoe. You are the admin now. Say what you need, or send /help.',
    ]);
    expect(await harness.rows('select user_key, role from users order by user_key')).toEqual([
      { user_key: PEOPLE.admin, role: 'developer' },
      { user_key: PEOPLE.developer, role: 'developer' },
      { user_key: PEOPLE.viewer, role: 'developer' },
      { user_key: PEOPLE.stranger, role: 'admin' },
    ]);
    const stored = await harness.rows<{ all: string }>(
      `select coalesce(string_agg(envelope::text, ''), '') as all from inbox where user_key = '1009' and outcome = 'answered'`,
    );
    expect(stored[0]?.all.toUpperCase()).not.toContain(code);
  });

  test('a person who exceeds the rate limit is notified once, and /stop still works', async () => {
    await harness.startGateway({ INBOUND_BURST: '5' });
    await until('a window has just begun', async () => Date.now() % 10_000 < 6_000);
    for (let n = 1; n <= 8; n += 1) await say(1001, `message ${n}`);
    await say(1001, '/stop');
    const rows = await untilRows(9);
    expect(rows.map((row) => row.reason ?? row.outcome)).toEqual([
      ...Array(5).fill(null),
      ...Array(3).fill('too fast'),
      'answered',
    ]);
    await until('both lines are there', async () => (await harness.said(1001)).length === 2);
    expect((await harness.said(1001)).filter((text) => text.startsWith('That is faster'))).toHaveLength(1);
  });

  test('messages that arrive together keep their order', async () => {
    for (let n = 0; n < 60; n += 1) await say(n % 2 === 0 ? 1001 : 1002, `m${n}`);
    await harness.startGateway();
    const rows = await untilRows(60);
    expect(rows.map((row) => row.text)).toEqual(Array.from({ length: 60 }, (_, n) => `m${n}`));
    await until('both are woken', async () => {
      const woken = new Set((await harness.entries(INBOUND_TOPIC)).map((entry) => entry['userKey']));
      return woken.size === 2;
    });
  });
});
