import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHarness, until, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
});
afterEach(() => harness.close());

interface Row {
  readonly text: string;
  readonly kind: string;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly files: number;
}
const inbox = (): Promise<readonly Row[]> =>
  harness.rows(
    `select envelope ->> 'text' as text, kind, outcome, reason,
            coalesce(jsonb_array_length(envelope -> 'attachments'), 0) as files from inbox order by id`,
  );
const untilRows = (count: number): Promise<readonly Row[]> =>
  until(`the inbox has ${count} rows`, async () => {
    const rows = await inbox();
    return rows.length >= count && rows;
  });

const ADA = { id: 1001, is_bot: false, first_name: 'Ada' };
const OPS = { id: -2001, type: 'supergroup', title: 'ops' };
const PRIVATE = { id: 1001, type: 'private', first_name: 'Ada' };
const now = (): number => Math.floor(Date.now() / 1_000);
async function post(kind: 'message' | 'edited_message', id: number, fields: object): Promise<void> {
  const edited = kind === 'edited_message' ? { edit_date: now() } : {};
  const message = { message_id: id, date: now() - 30, chat: OPS, from: ADA, ...edited, ...fields };
  await harness.people.post('/api/updates', { update: { [kind]: message } });
}
const edit = (id: number, fields: object): Promise<void> => post('edited_message', id, fields);

test('an edit that adds a mention of the bot turns a group message into a message for the bot', async () => {
  await edit(500, { text: '@signalbox_bot what is running' });
  const [row] = await untilRows(1);
  expect(row).toMatchObject({ text: 'what is running', kind: 'message', outcome: null });
  await edit(500, { text: '@signalbox_bot what is running on staging' });
  expect((await untilRows(2)).map((one) => [one.text, one.kind, one.outcome])).toEqual([
    ['what is running on staging', 'message', null],
    ['what is running on staging', 'edit', 'merged'],
  ]);
});

test("a mention by the bot's display name counts like a mention by its user name", async () => {
  const entities = [{ type: 'text_mention', offset: 0, length: 9, user: { id: 100, is_bot: true } }];
  await edit(501, { text: 'Signalbox what is running', entities });
  expect((await untilRows(1))[0]).toMatchObject({ text: 'what is running', kind: 'message' });
});

test('an edit of a private message that never arrived is treated as a new message, with its files', async () => {
  await edit(502, { chat: PRIVATE, text: 'what is running' });
  const document = { file_id: 'f1', file_name: 'a.txt', file_size: 5 };
  await edit(503, { chat: PRIVATE, caption: 'read this', document });
  await edit(504, { chat: PRIVATE, text: '/whoami' });
  await until('the command is answered', async () => (await inbox()).length === 3);
  expect((await inbox()).map((one) => [one.text, one.kind, one.files, one.outcome])).toEqual([
    ['what is running', 'message', 0, null],
    ['read this', 'message', 1, null],
    ['/whoami', 'message', 0, 'answered'],
  ]);
});

test('an edit of a message that was stored hundreds of messages ago does not run the message again', async () => {
  await post('message', 600, { chat: PRIVATE, text: 'deploy shop' });
  await post('message', 601, { chat: PRIVATE, text: '/new' });
  await untilRows(2);
  await harness.rows(
    `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome)
     select 'telegram', '100', 'x' || n, '1001', 'telegram:1001', 'message', '{"text": "x"}', 'trc', 'answered'
       from generate_series(1, 600) n`,
  );
  await edit(600, { chat: PRIVATE, text: 'deploy blog' });
  await edit(601, { chat: PRIVATE, text: 'deploy forum' });
  const rows = (await untilRows(604)).slice(602);
  expect(rows.map((one) => [one.kind, one.outcome, one.reason])).toEqual([
    ['edit', 'refused', 'edit of an unknown message'],
    ['edit', 'refused', 'edit of an unknown message'],
  ]);
});

test('an edit update without an edit date, or of a message too old to edit, is refused', async () => {
  await edit(700, { chat: PRIVATE, text: 'deploy shop', edit_date: undefined });
  await edit(701, { chat: PRIVATE, text: 'deploy shop', date: now() - 60 * 86_400 });
  const rows = await untilRows(2);
  expect(rows.map((one) => one.outcome)).toEqual(['refused', 'refused']);
});

test('a message and its edit that arrive together become one message', async () => {
  const message = { message_id: 800, date: now(), chat: PRIVATE, from: ADA };
  // Held back at Telegram, so that the bot is brought both at once.
  await harness.fault({ method: 'getUpdates', times: 1, error: { code: 500, description: 'Internal Server Error' } });
  await harness.people.post('/api/updates', { update: { message: { ...message, text: 'deploy shop' } } });
  await edit(800, { chat: PRIVATE, text: 'deploy blog' });
  const rows = await untilRows(2);
  expect(rows.map((one) => [one.text, one.kind])).toEqual([
    ['deploy blog', 'message'],
    ['deploy blog', 'edit'],
  ]);
});
