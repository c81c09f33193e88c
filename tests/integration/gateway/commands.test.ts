import { STOP_CHANNEL } from '@signalbox/contracts/conversation/topics';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { INBOUND_TOPIC, openHarness, PEOPLE, until, type Harness } from './harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await openHarness();
  await harness.startGateway();
});
afterAll(() => harness.close());
afterEach(async () => {
  await harness.rows('update inbox set outcome = $1, settled_at = now() where outcome is null', ['answered']);
  await harness.rows('delete from lanes');
});

/** Says something and answers what the bot says next. */
async function ask(person: number, text: string): Promise<string> {
  const before = (await harness.said(person)).length;
  await harness.people.post('/api/messages', { from: person, text });
  return until(`${text} is answered`, async () => (await harness.said(person))[before]);
}

/** An open inbox row of Ada's, as if a message of hers waited. */
async function wait(): Promise<number> {
  const text = `waiting ${Math.random()}`;
  await harness.people.post('/api/messages', { from: 1001, text });
  return until('it is in the inbox', async () => {
    const found = await harness.rows<{ id: string }>(`select id from inbox where envelope ->> 'text' = $1`, [text]);
    return found[0] && Number(found[0].id);
  });
}

const stopBefore = async (): Promise<number> => {
  const [lane] = await harness.rows<{ stop_before: string }>('select stop_before from lanes where user_key = $1', [
    PEOPLE.admin,
  ]);
  return Number(lane?.stop_before ?? 0);
};

test('/start introduces the bot, with examples', async () => {
  const answer = await ask(1001, '/start');
  expect(answer).toMatch(/^Hello Ada, I am Signalbox\./);
  expect(answer).toContain('/help');
  expect(answer.match(/• /g)).toHaveLength(3);
});

test("/help lists the commands of the person's role", async () => {
  expect(await ask(1002, '/help')).toContain('deploy shop');
  expect(await ask(1005, '/help')).not.toContain('deploy shop');
});

test("/whoami shows the person's id and role", async () => {
  expect(await ask(1005, '/whoami')).toBe('You are Eli, id 1005, role viewer.');
});

test('/status says that nothing is running', async () => {
  expect(await ask(1005, '/status')).toBe('Nothing is running.');
});

test('/status shows the running turn, waiting messages, the title of the conversation and its jobs', async () => {
  await wait();
  await wait();
  await harness.rows(
    `update lanes set worker = 'w1', lease_until = now() + interval '1 minute' where user_key = '1001'`,
  );
  await harness.rows(`insert into threads (thread_id, user_key, n, chat_key, agent, title)
    values ('user_1001_1', '1001', 1, 'telegram:1001', 'product_owner', 'ship shop')`);
  await harness.rows(`insert into runs (run_id, job, payload, user_key, trace_id, status, created_at)
    values ('r1', 'deploy.run', '{}', '1001', 't', 'running', now() - interval '3 minutes')`);
  const answer = await ask(1001, '/status');
  expect(answer).toMatch(/^I have been working for [\d.]+ s\.\n\n1 message is waiting\./);
  expect(answer).toContain('Conversation: user_1001_1 (ship shop).');
  expect(answer).toContain('Job deploy.run: running, 3 min.');
});

test('/stop says that nothing is running when there is nothing to stop', async () => {
  expect(await ask(1001, '/stop')).toBe('Nothing is running.');
  expect(await stopBefore()).toBe(0);
});

test('/stop stops waiting messages, wakes the lane and notifies the worker', async () => {
  const waiting = await wait();
  const subscriber = openRedis(inject('redisUrl'), createLog('test', 'silent'));
  const nudged: string[] = [];
  subscriber.on('message', (_, message: string) => void nudged.push(message));
  await subscriber.subscribe(`${harness.prefix}${STOP_CHANNEL}`);
  const before = (await harness.entries(INBOUND_TOPIC)).length;
  expect(await ask(1001, '/stop')).toBe('Stopping…');
  expect(await stopBefore()).toBeGreaterThan(waiting);
  await until('the worker is nudged', async () => nudged.includes(PEOPLE.admin));
  expect((await harness.entries(INBOUND_TOPIC)).length).toBe(before + 1);
  await closeRedis(subscriber);
});

test('/stop reaches a running turn when no message waits', async () => {
  await wait();
  await harness.rows(`update inbox set outcome = 'answered' where outcome is null`);
  await harness.rows(
    `update lanes set worker = 'w1', lease_until = now() + interval '1 minute' where user_key = '1001'`,
  );
  expect(await ask(1001, '/stop')).toBe('Stopping…');
});

test('/new waits for its place in the lane and stops the messages sent before it', async () => {
  const waiting = await wait();
  await harness.people.post('/api/messages', { from: 1001, text: '/new' });
  const row = await until('it is in the inbox', async () => {
    const found = await harness.rows<{ id: string; kind: string; outcome: string | null; envelope: object }>(
      `select id, kind, outcome, envelope from inbox where kind = 'command'`,
    );
    return found[0];
  });
  expect(row).toMatchObject({ outcome: null, envelope: { kind: 'command', command: 'new', chatKey: 'telegram:1001' } });
  expect(await stopBefore()).toBe(Number(row.id));
  expect(waiting).toBeLessThan(Number(row.id));
});

test('a command is recorded as answered, and its answer has the same trace id', async () => {
  await ask(1005, '/whoami');
  const [row] = await harness.rows<{ outcome: string; asked: string; answered: string }>(
    `select i.outcome, i.trace_id as asked, o.trace_id as answered from inbox i
       join outbox o on o.key = 'reply:' || i.channel || ':' || i.bot || ':' || i.update_id
      where i.user_key = '1005' order by i.id desc limit 1`,
  );
  expect(row?.outcome).toBe('answered');
  expect(row?.answered).toBe(row?.asked);
});
