import { afterEach, beforeEach, expect, it } from 'vitest';
import { startModelServer, type AskedMessage, type ModelServer } from '../support/model-server.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';
import { openTcpRelay, type TcpRelay } from '../support/tcp-relay.ts';
import { eventually } from '../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../support/worker.ts';

/*
 * Who is to blame: a message is given up for what it does itself, and for nothing that happened around it.
 */

const INNOCENT = ['81', '82', '83', '84', '85', '86', '87'];
const POISON = '88';
/** A dead worker's lanes are free after this. */
const LEASE = { LANE_LEASE_MS: '1500' };

let bench: WorkerBench;
let model: ModelServer;
let relay: TcpRelay | null = null;
/** The model's first answers stay away, so that everybody is in a slot when the worker dies. */
let isHeld = true;
let poisoned = 0;
let asked = 0;

beforeEach(async () => {
  isHeld = true;
  poisoned = 0;
  asked = 0;
  bench = await openWorkerBench();
  model = await startModelServer((messages, tools) => answer(messages, tools));
});
afterEach(async () => {
  await bench.close();
  await model.close();
  await relay?.close();
  relay = null;
});

function answer(messages: readonly AskedMessage[], tools: readonly string[]) {
  if (tools.includes('classify_intent'))
    return {
      toolCalls: [{ name: 'classify_intent', args: { task_summary: 'echo', capabilities: [], project: null } }],
    };
  const last = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  asked += 1;
  if (last.includes('poison')) {
    poisoned += 1;
    return { content: 'never', delayMs: 120_000 };
  }
  return { content: `echo ${last}`, delayMs: isHeld ? 120_000 : 300 };
}

const letters = async (): Promise<unknown> =>
  (await bench.pool.query('select user_key, reason from dead_letters order by user_key')).rows;

it('only the message that kills its worker is given up, although seven other turns die with it six times', async () => {
  const env = bench.wiring.env('worker', {
    WORKER_NAME: 'w1',
    MODEL: 'openai',
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: model.url,
    ...LEASE,
  });
  for (const person of [...INNOCENT, POISON]) await bench.addPerson(person);
  const worker: ServiceProcess = await startService('worker', 'blame', env);
  try {
    for (const person of INNOCENT) await bench.say(person, `hello ${person}`);
    await bench.say(POISON, 'poison');
    await eventually(
      async () => asked,
      (count) => count >= 8,
      60_000,
    );
    await worker.kill();
    isHeld = false;
    for (let kills = 1; kills < 6; kills++) {
      const before = poisoned;
      await worker.start();
      await eventually(
        async () => poisoned,
        (count) => count > before,
        90_000,
      );
      await worker.kill();
    }
    await worker.start();
    await eventually(
      async () => (await Promise.all([...INNOCENT, POISON].map((person) => bench.outcomes(person)))).flat(),
      (all) => all.every(Boolean),
      90_000,
    );
  } finally {
    await worker.kill();
  }
  expect(await letters()).toEqual([{ user_key: POISON, reason: 'no progress in 5 attempts' }]);
  expect(poisoned).toBe(6);
  expect((await bench.replies(POISON)).at(-1)).toMatch(/could not handle it.*reference dlq_/);
  for (const person of INNOCENT) expect(await bench.replies(person)).toEqual([`echo hello ${person}`]);
}, 400_000);

it('no message is given up when Postgres goes away six times in the middle of a turn', async () => {
  const target = new URL(bench.wiring.databaseUrl('worker'));
  const wire = (relay = await openTcpRelay(Number(target.port)));
  target.hostname = '127.0.0.1';
  target.port = String(wire.port);
  for (const person of INNOCENT) await bench.addPerson(person);
  let thinking = 0;
  let isShort = true;
  await model.close();
  model = await startModelServer((messages, tools) => {
    if (tools.includes('classify_intent') || !isShort) return answer(messages, tools);
    thinking += 1;
    return { content: 'hello', delayMs: 1_000 };
  });
  const env = {
    MODEL: 'openai',
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: model.url,
    DATABASE_URL: target.href,
    ...LEASE,
  };
  for (const name of ['w1', 'w2']) await bench.startWorker({ env: { ...env, WORKER_NAME: name } });
  for (const person of INNOCENT) await bench.say(person, `hello ${person}`);
  for (let stops = 0; stops < 6; stops++) {
    const before = thinking;
    await eventually(
      async () => thinking,
      (count) => count > before,
      60_000,
    );
    wire.cut();
    // Longer than a lease: the answer of the model comes, and neither the end of the turn nor the lane can be written.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    wire.mend();
  }
  isShort = false;
  isHeld = false;
  await eventually(
    async () => (await Promise.all(INNOCENT.map((person) => bench.outcomes(person)))).flat(),
    (all) => all.every(Boolean),
    90_000,
  );
  expect(await letters()).toEqual([]);
  for (const person of INNOCENT) expect(await bench.outcomes(person)).toEqual(['answered']);
  const { rows } = await bench.pool.query('select distinct attempts from lanes');
  expect(rows).toEqual([{ attempts: 0 }]);
}, 200_000);
