import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHarness, until, type Harness } from '../../integration/gateway/harness.ts';
import { bring, createUpdate, startWebhookGateway, type WebhookGateway } from './webhook-caller.ts';

let harness: Harness;
let gateway: WebhookGateway;
beforeAll(async () => {
  harness = await openHarness();
  gateway = await startWebhookGateway(harness);
});
afterAll(() => harness.close());

let next = 100;
/** An update with a message of Ada's, with other fields in it. */
const unusual = (fields: object): string => {
  const update = createUpdate((next += 1), 1001, 'unusual') as { readonly message: object };
  return JSON.stringify({ ...update, message: { ...update.message, ...fields } });
};
const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
const file = (fields: object): object => ({
  text: undefined,
  document: { file_id: 'F', file_name: 'a.txt', ...fields },
});

test.each([
  ['a NUL in the id of a file', unusual(file({ file_id: 'F\0' }))],
  ['half of a character in the id of a file', unusual(file({ file_id: 'F\ud800' }))],
  ['half of a character in a name', unusual(file({ file_name: 'a\ud800\0.txt', mime_type: '\0' }))],
  ['a file larger than numbers go', unusual(file({ file_size: Number.MAX_SAFE_INTEGER }))],
  ['a chat of the largest number', unusual({ message_id: Number.MAX_SAFE_INTEGER })],
  ['a number beyond all numbers', unusual({}).replace('"message_id":', '"message_id":1e999,"x":')],
  ['an album whose id is a NUL', unusual({ media_group_id: '\0' })],
  ['a type of chat that every object has', unusual({ chat: { id: 1001, type: 'constructor' } })],
  ['members that every object has', unusual({}).replace('"text":', '"__proto__":{"sticker":{}},"toString":1,"text":')],
  ['nothing but such members', unusual({ text: undefined }).replace('"date":', '"__proto__":{"sticker":{}},"date":')],
  ['a depth that no reader follows', unusual({ entities: 'DEEP', x: 'DEEP' }).replaceAll('"DEEP"', deep)],
  ['a language that is none', unusual({ from: { id: 1001, first_name: 'Ada', language_code: '__proto__' } })],
])('an update with %s is accepted, and the next message is stored', async (what, body) => {
  expect((await bring(gateway.url, body)).status).toBe(200);
  const text = `behind ${what}`;
  expect((await bring(gateway.url, createUpdate((next += 1), 1001, text))).status).toBe(200);
  expect(await harness.rows(`select 1 from inbox where envelope ->> 'text' = $1`, [text])).toHaveLength(1);
});

test('an update that cannot be stored becomes a dead letter, and its author is notified', async () => {
  const letters = await harness.rows<{ id: string }>(`select id from dead_letters where reason = 'not storable'`);
  expect(letters.length).toBeGreaterThan(0);
  const lines = gateway.lines.filter((line) => line['message'] === 'update could not be admitted');
  expect(lines.map((line) => line['ref'])).toEqual(letters.map(({ id }) => id));
  for (const { id } of letters) {
    const line = `I could not process that message, so nothing was done. Please send it again in other words (${id}).`;
    const rows = (): Promise<readonly unknown[]> =>
      harness.rows(`select 1 from outbox where body ->> 'text' = $1`, [line]);
    expect(await until('its author is told', async () => (await rows())[0])).toBeDefined();
  }
});

test('a press with unreadable data is answered and does not delay the next message', async () => {
  const from = { id: 1001, is_bot: false, first_name: 'Ada' };
  const message = { message_id: 5, chat: { id: 1001, type: 'private' }, date: 1_700_000_000 };
  for (const data of ['constructor', '1:\0', `${'9'.repeat(40)}:1`, '__proto__:0'])
    expect(
      (await bring(gateway.url, { update_id: (next += 1), callback_query: { id: 'q\0', from, message, data } })).status,
    ).toBe(200);
  expect((await bring(gateway.url, createUpdate((next += 1), 1001, 'after the presses'))).status).toBe(200);
});
