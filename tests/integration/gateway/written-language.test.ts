import { afterEach, beforeEach, expect, test } from 'vitest';
import { say } from '@signalbox/messages/say';
import { openHarness, until, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
});
afterEach(() => harness.close());

const BEN = 1002;
const SPANISH = 'hola, que es esto?';
const notice = (language: string): string => say('people.language-adopted', {}, language).replaceAll('`', '');

let updates = 0;
/** A text of Ben's, as Telegram delivers it; waits until it is admitted. */
const write = async (text: string, fields: object = {}, client: object = {}): Promise<void> => {
  const id = 700 + (updates += 1);
  const from = { id: BEN, is_bot: false, first_name: 'Ben', ...client };
  const message = { message_id: id, date: 1_700_000_000, chat: { id: BEN, type: 'private' }, from, text, ...fields };
  await harness.people.post('/api/updates', { update: { update_id: id, message } });
  await until(`“${text}” is admitted`, async () => {
    const rows = await harness.rows<{ update_id: string }>(`select update_id from inbox where update_id = $1`, [id]);
    return rows.length === 1;
  });
};
const language = async (): Promise<string | null> => {
  const [row] = await harness.rows<{ language: string | null }>(`select language from users where user_key = '1002'`);
  return row?.language ?? null;
};
const notices = async (): Promise<readonly string[]> =>
  (await harness.rows<{ text: string }>(`select body ->> 'text' as text from outbox where key like 'language:%'`)).map(
    ({ text }) => text,
  );

test.each([
  [SPANISH, 'es'],
  ['hallo, was ist das?', 'de'],
  ['привет, что это?', 'ru'],
  ['你好，这是什么？', 'zh'],
])('a person whose first message is “%s” reads %s from then on, and is told so once', async (text, expected) => {
  await harness.meet(BEN);
  await write(text, {}, { language_code: 'en' });
  expect(await language()).toBe(expected);
  await until('the person is told', async () => (await harness.said(BEN)).includes(notice(expected)));
  await write(expected === 'de' ? SPANISH : 'kannst du mir bitte die Server zeigen?');
  await write(text);
  expect(await language()).toBe(expected);
  expect(await notices()).toHaveLength(1);
});

test('a language is adopted when the channel names one without texts, or none', async () => {
  await write(SPANISH, {}, { language_code: 'fi' });
  expect(await language()).toBe('es');
});

test('English, a command, a quotation and a forwarded text change no language', async () => {
  await write('hello, what is this?');
  await write('/why hola, que es esto?');
  await write('what does “la conexión fue rechazada por el servidor” mean?');
  const origin = { type: 'user', date: 1_700_000_000, sender_user: { id: 77, is_bot: false, first_name: 'Eva' } };
  await write(SPANISH, { forward_origin: origin });
  expect(await language()).toBeNull();
  expect(await notices()).toEqual([]);
});

test('a language that a person chose stays, also when they write another', async () => {
  await write('/language en');
  await write(SPANISH);
  expect(await language()).toBe('en');
  expect(await notices()).toEqual([]);
});

test("the language of a person's client stays, also when they write another", async () => {
  await write(SPANISH, {}, { language_code: 'de' });
  expect(await language()).toBeNull();
});

test('an update that comes again adopts a language and tells it once', async () => {
  const from = { id: BEN, is_bot: false, first_name: 'Ben' };
  const message = { message_id: 1, date: 1_700_000_000, chat: { id: BEN, type: 'private' }, from, text: SPANISH };
  for (let time = 0; time < 3; time += 1)
    await harness.people.post('/api/updates', { update: { update_id: 650, message } });
  await write('end of the updates');
  expect(await notices()).toEqual([say('people.language-adopted', {}, 'es')]);
});

test('a language that was adopted changes with /language', async () => {
  await write(SPANISH);
  await write('/language de');
  await write(SPANISH);
  expect(await language()).toBe('de');
  expect(await notices()).toHaveLength(1);
});
