import { randomBytes } from 'node:crypto';
import { openPool, type Pool } from '@signalbox/store/pool';
import { RunStore } from '@signalbox/store/turns/runs';
import { createLog } from '@signalbox/platform/log';
import { createQueue, type Queue } from '@signalbox/platform/queue/queue';
import type { AppError } from '@signalbox/contracts/errors';
import { createFailedResult } from '@signalbox/governance/calls/call';
import { createJobClient } from '@signalbox/worker/tools/job-client';
import { StoppedByPerson } from '@signalbox/governance/calls/call';
import { afterAll, beforeAll, beforeEach, expect, inject, it, vi } from 'vitest';
import { createDatabase } from '../../support/database.ts';

// The job service is this test: it says what becomes of each run.

const log = createLog('test', 'silent');
const INDEXED = { files: 1, passages: 2, changed: 0 };

let database: Awaited<ReturnType<typeof createDatabase>>;
let pool: Pool;
let queue: Queue;
let door: ReturnType<typeof createJobClient>;
let runs: RunStore;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, log, { name: 'test', max: 4 });
  queue = createQueue({ redisUrl: inject('redisUrl'), prefix: `t${randomBytes(4).toString('hex')}:`, log });
  runs = new RunStore(pool);
  door = createJobClient({ runs, queue, log });
});
afterAll(async () => {
  await queue.close();
  await pool.end();
  await database.drop();
});

let actionId = '';
let stop = new AbortController();
beforeEach(() => {
  actionId = `act_${randomBytes(4).toString('hex')}`;
  stop = new AbortController();
});

type Scope = Parameters<typeof door.work>[2];
/** What the door looks at of the turn. */
const scope = (): Scope =>
  ({
    actor: { userKey: '1001', name: 'Ada', role: 'developer' },
    chatKey: 'telegram:1001',
    threadId: 't1',
    turnKey: 'telegram:100:1',
    traceId: 'trc',
    signal: stop.signal,
    flush: () => Promise.resolve(),
  }) as unknown as Scope;

const call = (input: unknown = { scope: 'all' }) => ({ actionId, name: 'reindex', input });
const work = (deadlineMs: number) => door.work('knowledge.index', {}, scope(), call(), { deadlineMs });
const isWaiting = () => vi.waitUntil(() => runs.find(actionId), { timeout: 20_000, interval: 10 });
const begin = async () => {
  await isWaiting();
  const begun = await runs.begin(actionId, 5_000);
  if (begun.kind !== 'held') throw new Error(`the run is ${begun.kind}`);
  return begun.run;
};
const told = async (): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ say: string }>(
    `select envelope ->> 'say' as say from inbox where envelope ->> 'runId' = $1`,
    [actionId],
  );
  return rows.map(({ say }) => say);
};
const DONE = { outcome: 'done' as const, result: INDEXED, error: null, say: 'Indexed.' };

it('a tool gets the result of its job, and the person is not notified of the job', async () => {
  const working = work(30_000);
  await runs.finish(await begin(), DONE);
  expect(await working).toEqual({ kind: 'done', result: INDEXED });
  expect(await told()).toEqual([]);
  expect(await work(30_000)).toEqual({ kind: 'done', result: INDEXED }); // a turn that was resumed asks again
});

it.each<[string, Partial<Scope>, unknown]>([
  ['person', { actor: { userKey: '1002', name: 'Gil', role: 'developer' } }, { scope: 'all' }],
  ['conversation', { threadId: 't2' }, { scope: 'all' }],
  ['turn', { turnKey: 'telegram:100:2' }, { scope: 'all' }],
  ['call', {}, { scope: 'mine' }],
])('a request for a job under the same id from another %s is refused', async (_, changes, input) => {
  const working = work(30_000);
  await runs.finish(await begin(), DONE);
  await working;
  const other = door.work('knowledge.index', {}, { ...scope(), ...changes }, call(input), { deadlineMs: 5_000 });
  await expect(other).rejects.toMatchObject({ code: 'ACTION_ID_TAKEN' });
});

it('a job that takes longer than its tool waits continues, and the person is notified of its end', async () => {
  expect(await work(2_100)).toEqual({ kind: 'goes-on', runId: actionId });
  await runs.finish(await begin(), DONE);
  expect(await told()).toEqual(['Indexed.']);
});

it('a job that fails gives the reason to the tool that started it', async () => {
  const working = work(30_000);
  working.catch(() => undefined);
  await runs.finish(await begin(), { ...DONE, outcome: 'failed', result: null, error: 'No room.' });
  await expect(working).rejects.toMatchObject({ code: 'JOB_FAILED', data: { detail: 'No room.' } });
});

it.each([
  ['a job that broke on our side', () => `Something broke on my side. Reference: ${actionId}.`, undefined],
  ['a job that took too long', () => 'It did not end within 600 s.', undefined],
  ['a job whose program says more', () => `Something broke on my side. Reference: ${actionId}. Stop shop.`, true],
  ['a job that quotes the reference of another', () => 'Something broke on my side. Reference: stop_shop.', true],
])(
  '%s marks the conversation as having read outside text only when its error has such text',
  async (_, error, untrusted) => {
    const working = work(30_000);
    working.catch(() => undefined);
    await runs.finish(await begin(), { ...DONE, outcome: 'failed', result: null, error: error() });
    const thrown: unknown = await working.catch((failed: unknown) => failed);
    expect(createFailedResult(thrown as AppError, {})).toMatchObject({ code: 'JOB_FAILED' });
    expect(createFailedResult(thrown as AppError, {}).untrusted).toBe(untrusted);
  },
);

it('/stop also cancels a running job, and the run ends once its process has stopped', async () => {
  const working = work(30_000);
  working.catch(() => undefined);
  const held = await begin();
  stop.abort(new StoppedByPerson());
  await expect(working).rejects.toBeInstanceOf(StoppedByPerson);
  expect(await runs.beat([held])).toEqual({ lost: [], cancelled: [actionId] });
  expect(await runs.find(actionId)).toMatchObject({ status: 'cancelling' });
  await runs.finish(held, { outcome: 'cancelled', result: null, error: 'It was cancelled.', say: '' });
  expect(await runs.find(actionId)).toMatchObject({ status: 'cancelled', error: 'It was cancelled.' });
  expect(await told()).toEqual([]);
});

it('a worker that shuts down leaves its job to the worker that resumes the turn', async () => {
  const working = work(30_000);
  working.catch(() => undefined);
  const held = await begin();
  stop.abort(new Error('the worker is shutting down'));
  await expect(working).rejects.toThrow('shutting down');
  stop = new AbortController();
  const resumed = work(30_000);
  await runs.finish(held, DONE);
  expect(await resumed).toEqual({ kind: 'done', result: INDEXED });
});
