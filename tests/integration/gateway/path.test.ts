import { afterAll, beforeAll, expect, test } from 'vitest';
import { INBOUND_TOPIC, openHarness, PEOPLE, until, type Harness, type StartedGateway } from './harness.ts';

let harness: Harness;
let gateway: StartedGateway;

beforeAll(async () => {
  harness = await openHarness();
  gateway = await harness.startGateway();
});
afterAll(() => harness.close());

test('a message becomes an inbox row and wakes the worker', async () => {
  await harness.people.post('/api/messages', { from: 1001, text: 'what is running on staging?' });
  const [entry] = await until('a wake-up is on the stream', async () => {
    const found = await harness.entries(INBOUND_TOPIC);
    return found.length > 0 && found;
  });
  const rows = await harness.rows<{ envelope: Record<string, unknown>; outcome: string | null; trace_id: string }>(
    'select envelope, outcome, trace_id from inbox where user_key = $1',
    [PEOPLE.admin],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.envelope).toMatchObject({ kind: 'message', text: 'what is running on staging?', name: 'Ada' });
  expect(rows[0]?.outcome).toBeNull();
  expect(entry).toEqual({ userKey: PEOPLE.admin, traceId: rows[0]?.trace_id });
});

test('an outbox row is sent as a formatted message, and is marked as sent', async () => {
  const [id] = await harness.say('telegram:1001', [{ text: 'Shop **1.4.2** is up.', userKey: PEOPLE.admin }]);
  const message = await until('Ada sees it', async () =>
    (await harness.people.messages(1001)).find((one) => one.text === 'Shop 1.4.2 is up.'),
  );
  expect(message.entities).toEqual([{ type: 'bold', offset: 5, length: 5 }]);
  const row = await until('the delivery is noted', async () => {
    const [found] = await harness.rows<{ status: string; receipt: object }>(
      'select status, receipt from outbox where id = $1',
      [id],
    );
    return found?.status === 'sent' && found;
  });
  expect(row.receipt).toEqual({ messageIds: [String(message.messageId)], trying: null });
});

test('the gateway is ready while it polls', async () => {
  const answer = await until('it is ready', async () => {
    const response = await fetch(`http://127.0.0.1:${gateway.gateway.probe.port}/readyz`);
    return response.status === 200 && response.text();
  });
  expect(answer).toBe('ready\n');
  const metrics = await fetch(`http://127.0.0.1:${gateway.gateway.probe.port}/metrics`);
  expect(await metrics.text()).toContain('signalbox_sends_total{result="sent"');
});
