import type { BaseMessage } from '@langchain/core/messages';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MORTGAGE_STATE_1, openOldThread, readState } from '../../support/old-thread.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

let bench: WorkerBench;
beforeAll(async () => {
  bench = await openWorkerBench();
  await bench.startWorker({ env: { AGENT_DEFAULT: 'mortgage', MODEL: 'offline' } });
});
afterAll(() => bench.close());

async function recordThread(userKey: string, values?: Record<string, unknown>): Promise<string> {
  await bench.addPerson(userKey);
  return openOldThread(bench.pool, { userKey, chatKey: `telegram:${userKey}` }, values);
}

it('a mortgage conversation of version 1 continues under version 2, with all of its messages', async () => {
  const threadId = await recordThread('900');
  expect((await bench.ask('900', 'mortgage.recalculate {"termYears":30}')).join('\n')).toContain(
    '£1,017.16 a month for 5 years',
  );
  // Asked for before, so it is not asked for again.
  expect((await bench.ask('900', 'mortgage.request_branch')).join('\n')).toContain('A branch will call you');
  const { values } = await readState(bench.pool, threadId);
  expect(values).toMatchObject({
    stateVersion: 2,
    domain: { mortgage: { branch_requested: true, last_attempted_address: '15 Semaphore Road QX1 2BD' } },
  });
  expect((values['messages'] as BaseMessage[]).map(({ id }) => id).slice(0, 2)).toEqual(['old_1', 'old_2']);
  const { rows } = await bench.pool.query(`select count(*)::int as threads from threads where user_key = '900'`);
  expect(rows).toEqual([{ threads: 1 }]);
});

it('a conversation that cannot be migrated is kept, and the next message starts a new one', async () => {
  const threadId = await recordThread('901', { ...MORTGAGE_STATE_1, intent: 'a house' });
  const before = await readState(bench.pool, threadId);
  const told = await bench.ask('901', 'mortgage.set_intent {"propertyValue":300000}');
  expect(told[0]).toContain('I cannot read it. It stays stored as it is.');
  expect(told[1]).toContain('How much do you want to borrow');
  expect(told).toHaveLength(2);
  expect(await readState(bench.pool, threadId)).toEqual(before);
  const { rows } = await bench.pool.query(`select status from threads where user_key = '901' order by n`);
  expect(rows).toEqual([{ status: 'finished' }, { status: 'open' }]);
  expect((await bench.ask('901', '210,000')).join()).toContain('For how many years');
});
