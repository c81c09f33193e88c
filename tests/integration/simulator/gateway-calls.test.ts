import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHarness, until, type Harness } from '../gateway/harness.ts';
import { NASTY_TEXTS } from '../gateway/nasty-texts.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const TABLE = ['| port | project |', '| ---: | --- |', '| 8080 | `shop` |', '| 8081 | **blog** |'].join('\n');

test('the gateway sends only fields that the Bot API defines', async () => {
  await harness.startGateway();
  await harness.meet(1001);
  const texts = [TABLE, ...NASTY_TEXTS.slice(0, 12).map(({ text }) => text)];
  const rows = texts.map((text) => ({ text, userKey: '1001', buttons: [{ label: 'Approve', value: 'ok' }] }));
  for (const chatKey of ['telegram:1001', 'telegram:-2001', 'telegram:-2001/101']) await harness.say(chatKey, rows);
  await until(
    'everything is sent',
    async () => {
      const [row] = await harness.rows<{ open: number }>(
        `select count(*)::int as open from outbox where status in ('pending', 'sending')`,
      );
      return row?.open === 0;
    },
    60_000,
  );
  await harness.people.click(1001, 'Approve');
  await harness.people.findCall((call) => call.method === 'answerCallbackQuery');
  expect(await harness.people.problems()).toEqual([]);
  const refused = (await harness.people.calls()).filter(({ status }) => status === 400);
  expect(refused.map(({ method, params }) => [method, params])).toEqual([]);
}, 120_000);
