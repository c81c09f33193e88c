import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHarness, PEOPLE, until, type Harness } from './harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await openHarness();
  await harness.startGateway();
  await harness.meet(1001, 1002);
});
afterAll(() => harness.close());

const BUTTONS = [
  { label: 'Staging', value: 'deploy it to staging' },
  { label: 'Production', value: 'deploy it to production' },
];
const EXPIRED = 'This button is no longer active.';

async function offer(text: string, chatKey = 'telegram:1001', userKey: string | null = PEOPLE.admin): Promise<number> {
  const [id] = await harness.say(chatKey, [{ text, buttons: BUTTONS, userKey }]);
  await until('it is sent', async () => {
    const [row] = await harness.rows<{ status: string }>('select status from outbox where id = $1', [id]);
    return row?.status === 'sent';
  });
  return id ?? 0;
}

/** Presses and answers the toast. */
async function press(from: number, button: string, chat?: string): Promise<string> {
  const { callbackQueryId } = await harness.people.post('/api/clicks', { from, button, ...(chat ? { chat } : {}) });
  return until('the press is answered', async () => {
    const click = await harness.people.get<{ answered: boolean; text: string }>(`/api/clicks/${callbackQueryId}`);
    return click.answered && click.text;
  });
}

const envelopes = (outboxId: number): Promise<readonly { text: string; outcome: string | null; user_key: string }[]> =>
  harness.rows(
    `select envelope ->> 'text' as text, outcome, user_key from inbox
      where envelope -> 'button' ->> 'outboxId' = $1 order by id`,
    [String(outboxId)],
  );

test('pressing a button sends its value, shows its label and removes the keyboard', async () => {
  const id = await offer('Where to?');
  expect(await press(1001, 'Production')).toBe('✓ Production');
  expect(await envelopes(id)).toEqual([{ text: 'deploy it to production', outcome: null, user_key: PEOPLE.admin }]);
  await until('the keyboard is gone', async () => {
    const messages = await harness.people.messages(1001);
    return messages.find((one) => one.text === 'Where to?')?.buttons === null;
  });
});

test('pressing a button twice sends its value once', async () => {
  const id = await offer('Once?');
  const messages = await harness.people.messages(1001);
  const messageId = messages.find((one) => one.text === 'Once?')?.messageId;
  expect(await press(1001, 'Staging')).toBe('✓ Staging');
  await harness.people.post('/api/updates', {
    update: {
      callback_query: {
        id: 'second-press',
        from: { id: 1001, is_bot: false, first_name: 'Ada' },
        message: { message_id: messageId, chat: { id: 1001, type: 'private' } },
        data: `b:${id}:1`,
      },
    },
  });
  const answer = await until('the second press is answered', async () =>
    (await harness.calls('answerCallbackQuery')).find((call) => call.params['callback_query_id'] === 'second-press'),
  );
  expect(answer.params['text']).toBe(EXPIRED);
  expect(await envelopes(id)).toMatchObject([
    { text: 'deploy it to staging', outcome: null },
    { text: '', outcome: 'refused' },
  ]);
});

test('a button pressed by somebody else does nothing, and still works for the person it was sent to', async () => {
  const id = await offer('Ada?', 'telegram:-2001');
  expect(await press(1002, 'Staging', 'ops')).toBe(EXPIRED);
  expect(await press(1001, 'Staging', 'ops')).toBe('✓ Staging');
  expect((await envelopes(id)).map((row) => row.outcome)).toEqual(['refused', null]);
});

test('a button that was sent to nobody in particular works for every known person', async () => {
  const id = await offer('Anyone?', 'telegram:-2001', null);
  expect(await press(1002, 'Staging', 'ops')).toBe('✓ Staging');
  expect(await envelopes(id)).toMatchObject([{ user_key: PEOPLE.developer }]);
});

test('a press is refused when its button is in another chat or belongs to no message', async () => {
  const id = await offer('Private?');
  const press = (data: string, pressId: string): Promise<unknown> =>
    harness.people.post('/api/updates', {
      update: {
        callback_query: {
          id: pressId,
          from: { id: 1002, is_bot: false, first_name: 'Ben' },
          message: { message_id: 1, chat: { id: 1002, type: 'private' } },
          data,
        },
      },
    });
  await press(`b:${id}:0`, 'foreign');
  await press('b:999999999:0', 'unknown');
  await press(`b:${id}:7`, 'no such index');
  await press('approve:42', 'not ours');
  const answers = await until('all are answered', async () => {
    const calls = await harness.calls('answerCallbackQuery');
    const mine = calls.filter((call) =>
      ['foreign', 'unknown', 'no such index', 'not ours'].includes(String(call.params['callback_query_id'])),
    );
    return mine.length === 4 && mine;
  });
  expect(answers.map((call) => call.params['text'])).toEqual(Array(4).fill(EXPIRED));
  expect((await envelopes(id)).every((row) => row.outcome === 'refused')).toBe(true);
});
