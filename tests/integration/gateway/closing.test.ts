import { createTelegram } from '@signalbox/gateway/channels/telegram/channel';
import { Deliverer } from '@signalbox/gateway/delivery/deliver';
import { createGatewayMetrics } from '@signalbox/gateway/metrics';
import { createThrottle } from '@signalbox/gateway/delivery/throttle';
import { createLog } from '@signalbox/platform/log';
import { NO_TRACING } from '@signalbox/platform/tracing/tracing';
import { createMetrics } from '@signalbox/platform/probe';
import { DEFAULT_TOKEN } from '@signalbox/telegram-simulator/server';
import { createSecretSealer } from '@signalbox/safety/secrets/cipher';
import { parseSealingKey } from '@signalbox/safety/secrets/key';
import { expect, onTestFinished, test } from 'vitest';
import { TEST_SEALING_KEY } from '../../support/secrets-key.ts';
import { openHarness } from './harness.ts';
import { sampleChallenges } from '../../support/samples.ts';

test('a gateway that stops while it claims a chat waits until the messages of that chat are sent', async () => {
  const harness = await openHarness();
  onTestFinished(() => harness.close());
  await harness.people.post('/api/messages', { from: 1001, text: 'hi' });
  await harness.say('telegram:1001', [{ text: 'just in time' }], false);
  const log = createLog('test', 'silent');
  const deliverer = new Deliverer({
    pool: harness.pool,
    channel: createTelegram({
      token: DEFAULT_TOKEN,
      apiRoot: harness.simulatorUrl,
      log,
      webhook: null,
      loadFile: async () => null,
    }),
    cipher: createSecretSealer(parseSealingKey(TEST_SEALING_KEY)),
    challenges: sampleChallenges,
    throttle: createThrottle({
      sendsPerSecond: 100,
      chatSendsPerSecond: 100,
      chatBurst: 100,
      groupSendsPerMinute: 100,
    }),
    log,
    metrics: createGatewayMetrics(createMetrics('test')),
    tracing: NO_TRACING,
    drafts: { waitForDraftEnd: async () => undefined, isShowing: () => false },
    maxChats: 1,
    drainMs: 30_000,
    wake: async () => undefined,
  });
  const handled = deliverer.handle({ kind: 'send', chatKey: 'telegram:1001', traceId: 'trc_test' });
  await deliverer.close();
  const [row] = await harness.rows<{ status: string }>('select status from outbox');
  expect({ status: row?.status, said: await harness.said(1001) }).toEqual({ status: 'sent', said: ['just in time'] });
  await (
    await handled
  ).work;
});
