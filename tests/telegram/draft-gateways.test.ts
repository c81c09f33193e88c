import { createDraftClaims } from '@signalbox/gateway/delivery/draft-claim';
import { describe, expect, test } from 'vitest';
import { until } from '../integration/gateway/harness.ts';
import {
  draftOf,
  drafts,
  harness,
  log,
  openDrafts,
  QUICK,
  seen,
  shownBy,
  texts,
  untilDrafted,
  useHarness,
  write,
} from './draft-bench.ts';

useHarness();

describe('with two gateways', () => {
  test('only one gateway shows a chat its drafts, and in order', async () => {
    const gateways = [await harness.startGateway(QUICK), await harness.startGateway(QUICK)];
    await harness.meet(1001);
    for (let n = 1; n <= 20; n += 1) {
      await write(1001, 'turn_1', 'word '.repeat(n).trim());
      await until('some are shown', async () => (await drafts()).length >= n / 4);
    }
    await untilDrafted('word '.repeat(20).trim());
    const lengths = texts(await drafts()).map((text) => String(text).length);
    expect(lengths).toEqual([...new Set(lengths)].sort((a, b) => a - b));
    const shown = await until('both tell', async () => {
      const counts = await Promise.all(gateways.map(shownBy));
      return counts.some((count) => count === lengths.length) && counts;
    });
    expect([...shown].sort((a, b) => a - b)).toEqual([0, lengths.length]);
  });

  test('the second gateway shows the drafts after the first has stopped', async () => {
    const gateways = [await harness.startGateway(QUICK), await harness.startGateway(QUICK)];
    await harness.meet(1001);
    await write(1001, 'turn_1', 'one');
    await untilDrafted('one');
    const counts = await until('one of them tells', async () => {
      const found = await Promise.all(gateways.map(shownBy));
      return found.includes(1) && found;
    });
    await gateways[counts.indexOf(1)]?.close();
    await write(1001, 'turn_1', 'two');
    await untilDrafted('two');
  });

  test('the second gateway shows the drafts after the first was killed', async () => {
    await harness.startGateway(QUICK);
    await harness.meet(1001);
    const dead = createDraftClaims({ redis: harness.redis, prefix: harness.prefix, gateway: 'gw_dead', log });
    expect(await dead.take('telegram:1001')).toBe(true);
    await until(
      'another one shows it',
      async () => {
        await write(1001, 'turn_1', 'alive');
        return (await seen(1001)) === 'alive';
      },
      20_000,
    );
  });

  test("the gateway that sends a message waits until the other gateway's draft is complete", async () => {
    await harness.startGateway(QUICK);
    await harness.meet(1001);
    const [shows, sends] = [openDrafts('gw_a'), openDrafts('gw_b')];
    await harness.fault({ method: 'sendMessageDraft', delayMs: 150 });
    const heard = draftOf(1001, 'turn_1', 'nearly all');
    shows.receive(heard);
    await untilDrafted('nearly all');
    sends.receive(heard);
    for (const one of [shows, sends]) one.receive(draftOf(1001, 'turn_1', null));
    await sends.waitForDraftEnd('telegram:1001');
    expect((await drafts()).map((call) => call.status)).toEqual([200]);
  });

  test('a gateway that holds the draft claim of a chat too long loses the claim', async () => {
    await harness.startGateway(QUICK);
    await harness.meet(1001);
    const sends = openDrafts('gw_b');
    const stuck = createDraftClaims({ redis: harness.redis, prefix: harness.prefix, gateway: 'gw_stuck', log });
    await stuck.take('telegram:1001');
    sends.receive(draftOf(1001, 'turn_1', 'nearly all'));
    sends.receive(draftOf(1001, 'turn_1', null));
    await sends.waitForDraftEnd('telegram:1001');
    expect(await stuck.take('telegram:1001')).toBe(false);
  });
});

test('without Redis no drafts are shown, and messages are sent without waiting for a draft', async () => {
  await harness.startGateway(QUICK);
  await harness.meet(1001);
  const redis = harness.redis.duplicate({ lazyConnect: true });
  const claims = createDraftClaims({ redis, prefix: harness.prefix, gateway: 'gw_c', log });
  expect(await claims.take('telegram:1001')).toBe(false);
  expect(await claims.untilFree('telegram:1001', 60_000)).toBe(true);
});
