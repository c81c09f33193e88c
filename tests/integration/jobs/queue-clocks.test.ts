import { randomBytes } from 'node:crypto';
import { HOUR_MS } from '@signalbox/contracts/time';
import { createLog } from '@signalbox/platform/log';
import { consumeQueue, type QueuedJob, type QueueVerdict } from '@signalbox/platform/queue/consume';
import { createQueue, type Queue } from '@signalbox/platform/queue/queue';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { until } from '../../support/until.ts';

/** Every five seconds. */
const WATCH = 'approvals.watch';

let open: { close(): Promise<void> }[];
let seen: QueuedJob[];
beforeEach(() => {
  open = [];
  seen = [];
});
afterEach(async () => {
  vi.useRealTimers();
  for (const one of open.splice(0)) await one.close();
});

/** A process of the pool whose clock is so far off, until it is closed. */
function startProcess(prefix: string, offMs: number, verdict: QueueVerdict): { queue: Queue; end(): Promise<void> } {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs });
  const place = { redisUrl: inject('redisUrl'), prefix, log: createLog('test', 'silent') };
  const queue = createQueue(place);
  const handle = (queued: QueuedJob): Promise<QueueVerdict> => {
    seen.push(queued);
    return Promise.resolve(verdict);
  };
  const own = { pool: 'maintenance', concurrency: 2, leaseMs: 2_000, handle, requeue: queue.enqueue } as const;
  const parts = [consumeQueue({ ...place, ...own }), queue];
  open.push(...parts);
  return {
    queue,
    end: async () => {
      for (const part of parts) await part.close();
      open = [];
      vi.useRealTimers();
    },
  };
}

test.each([
  ['ahead', 2 * HOUR_MS],
  ['behind', -2 * HOUR_MS],
])('a scheduled job keeps running after a process ran it with a clock two hours %s', async (_way, offMs) => {
  const prefix = `t${randomBytes(4).toString('hex')}:`;
  const wrong = startProcess(prefix, offMs, { kind: 'forget' });
  await wrong.queue.tick(WATCH);
  await until(() => seen.length === 1);
  await wrong.end();
  const right = startProcess(prefix, 0, { kind: 'forget' });
  await until(async () => {
    await right.queue.tick(WATCH);
    return seen.length === 2;
  });
});

test('a run is retried after a process queued it with a clock two hours ahead', async () => {
  const prefix = `t${randomBytes(4).toString('hex')}:`;
  const run = { runId: 'run_again', traceId: 'trc_again' };
  const wrong = startProcess(prefix, 2 * HOUR_MS, { kind: 'again', delayMs: 60_000 });
  await wrong.queue.enqueue('knowledge.index', run);
  await until(() => seen.length === 1);
  await wrong.end();
  const right = startProcess(prefix, 0, { kind: 'forget' });
  // As the sweeper does once it is due.
  await right.queue.enqueue('knowledge.index', run);
  await until(() => seen.length === 2);
  expect(seen.map(({ runId }) => runId)).toEqual([run.runId, run.runId]);
});

test("a run that a stopping process returns is started at once, even when that process's clock is wrong", async () => {
  const prefix = `t${randomBytes(4).toString('hex')}:`;
  const wrong = startProcess(prefix, 2 * HOUR_MS, { kind: 'again', delayMs: 0 });
  await wrong.queue.enqueue('knowledge.index', { runId: 'run_back', traceId: 'trc_back' });
  await until(() => seen.length > 0);
  await wrong.end();
  const before = seen.length;
  startProcess(prefix, 0, { kind: 'forget' });
  await until(() => seen.length > before);
});

test('a retry starts only after its configured delay', async () => {
  const prefix = `t${randomBytes(4).toString('hex')}:`;
  const { queue } = startProcess(prefix, 0, { kind: 'again', delayMs: 500 });
  const from = performance.now();
  await queue.enqueue('knowledge.index', { runId: 'run_pause', traceId: 'trc_pause' });
  await until(() => seen.length === 3);
  expect(performance.now() - from).toBeGreaterThan(950);
});

test('a scheduled job runs once per period when several processes schedule it', async () => {
  const prefix = `t${randomBytes(4).toString('hex')}:`;
  const { queue } = startProcess(prefix, 0, { kind: 'forget' });
  for (let n = 0; n < 20; n += 1) await queue.tick(WATCH);
  await until(() => seen.length === 1);
  await queue.tick(WATCH);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(seen.map(({ job, runId }) => [job, runId])).toEqual([[WATCH, null]]);
});
