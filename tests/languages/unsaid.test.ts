import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UNSAID_FREELY } from '../contracts/unsaid-free.ts';
import { UNSAID_ORDERS } from '../contracts/unsaid-orders.ts';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { until } from '../support/until.ts';

// What people say about changes without ordering them, to the running product: the tables before and after are the same.

/** Whoever writes more than twenty messages in ten seconds is told to slow down. */
const PAUSE_MS = 520;

let demo: DemoStack;
beforeAll(async () => {
  demo = await openDemoStack();
}, 60_000);
afterAll(() => demo.close(), 60_000);

/** What a change leaves behind. Of services without what looks write. */
const TABLES = {
  projects: '*',
  project_changes: '*',
  servers: 'name, environment, first_port, last_port',
  port_allocations: '*',
  services: 'project, environment, serving, muted_until',
  service_variables: '*',
  deployments: 'deployment_id, project, environment, ref, state',
  approvals: '*',
  grants: '*',
  secrets: 'user_key, handle',
  users: 'user_key, role',
  settings: 'key, value',
} as const;

async function snapshot(): Promise<Readonly<Record<string, unknown>>> {
  const { pool } = demo.stack;
  const entries = Object.entries(TABLES).map(async ([table, columns]) => {
    const { rows } = await pool.query(`select ${columns} from ${table}`);
    return [table, rows.map((row) => JSON.stringify(row)).toSorted()] as const;
  });
  const { rows: effects } = await pool.query(
    `select tool, arguments, status from actions where proposal #>> '{action,assessment,risk}' <> 'safe' order by action_id`,
  );
  return { ...Object.fromEntries(await Promise.all(entries)), effects };
}

/** Every so many of each half, so that all languages are among them. */
const thirty = (sentences: readonly string[]): readonly string[] =>
  Array.from({ length: 30 }, (_, n) => sentences[Math.floor(((n + 0.5) * sentences.length) / 30)] ?? '');

it('sixty sentences in fifteen languages that ask for no change cause none in the running product', async () => {
  const { ben } = demo.people;
  await demo.tell(ben, 'register the demo project', /registered the project demo/);
  await demo.tell(ben, 'deploy demo 1.0 to staging', /✅ Deployed/);
  await demo.tell(ben, 'create a project called shop for selling tea', /created the project/);
  // The gateway writes down where the bot is opened as soon as it knows.
  await until(async () => (await snapshot())['settings']?.toString().includes('channel_link:telegram') ?? false);
  const before = await snapshot();
  expect(before['effects']).toHaveLength(3);
  // One after another in one conversation: none may be taken for the answer to what the one before was asked back.
  for (const sentence of [...thirty(UNSAID_ORDERS), ...thirty(UNSAID_FREELY)]) {
    expect([sentence, await ben.ask(sentence)]).toEqual([sentence, expect.arrayContaining([expect.any(String)])]);
    await delay(PAUSE_MS);
  }
  expect(await snapshot()).toEqual(before);
}, 300_000);
