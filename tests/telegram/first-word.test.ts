import { grantUserRole } from '@signalbox/store/people/users';
import { expect, test } from 'vitest';
import { until } from '../integration/gateway/harness.ts';
import { letRepliesWait } from '../integration/gateway/waiting-replies.ts';
import { harness, untilDrafted, useHarness, write } from './draft-bench.ts';

useHarness();

/** More than Telegram takes messages in a second. */
const PEOPLE = Array.from({ length: 40 }, (_, at) => 5_000 + at);

test('forty answers that begin at the same moment are all seen to begin within 700 ms', async () => {
  await harness.startGateway({ TELEGRAM_SENDS_PER_SECOND: '28' });
  for (const id of PEOPLE) {
    await grantUserRole(harness.pool, { userKey: String(id), channel: 'telegram', name: `P${id}`, role: 'developer' });
    await harness.people.act('/api/people', { id, name: `P${id}` });
  }
  await harness.meet(...PEOPLE);
  const begunAt = performance.timeOrigin + performance.now();
  await Promise.all(PEOPLE.map((id) => write(id, 'turn_1', 'Good')));
  const shown = await until('everybody sees a draft', async () => {
    const calls = await harness.calls('sendMessageDraft');
    return calls.length >= PEOPLE.length && calls;
  });
  const waits = shown.map(({ at }) => at - begunAt).toSorted((a, b) => a - b);
  expect(waits[Math.floor(waits.length * 0.95)]).toBeLessThan(700);
  expect(new Set(shown.map(({ chatId }) => chatId)).size).toBe(PEOPLE.length);
});

test('an answer that begins while replies to others wait to be sent is seen to begin within 700 ms', async () => {
  await harness.startGateway({ TELEGRAM_SENDS_PER_SECOND: '5' });
  const readers = [1001, 1002, 1005];
  await harness.meet(...readers);
  await letRepliesWait(harness, PEOPLE);
  await until('the burst is over', async () => (await harness.calls('sendMessage')).length > 6);
  for (const reader of readers) {
    const begunAt = performance.timeOrigin + performance.now();
    await write(reader, 'turn_1', 'Good');
    expect((await untilDrafted('Good', reader)).at - begunAt).toBeLessThan(700);
  }
  expect((await harness.calls('sendMessage')).length).toBeLessThan(PEOPLE.length);
});
