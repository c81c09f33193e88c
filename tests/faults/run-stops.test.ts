import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INDEXED, openJobsBench, until, type JobsBench } from '../integration/jobs/bench.ts';

let bench: JobsBench;
beforeEach(async () => {
  bench = await openJobsBench(undefined, { standsFor: 'deploy' });
});
afterEach(() => bench.close());

const statusOf = async (runId: string): Promise<string | undefined> => (await bench.runs.find(runId))?.status;
const reached = (runId: string, status: string) =>
  until(async () => {
    const run = await bench.runs.find(runId);
    return run?.status === status ? run : null;
  });
/** Fires with the signal, and says so. */
const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

describe('a run that is cancelled', () => {
  it('is “cancelling” until its handler has stopped, and then “cancelled”', async () => {
    let isTold = false;
    let letGo = (): void => undefined;
    const cleanedUp = new Promise<void>((resolve) => (letGo = resolve));
    bench.startRunner(async (_payload, { signal }) => {
      await stopped(signal);
      isTold = true;
      await cleanedUp;
      throw new Error('stopped');
    });
    await bench.ask('act_1');
    await reached('act_1', 'running');
    expect(await bench.runs.cancel('act_1', 'operator')).toEqual({ kind: 'cancelling', lane: null, cards: [] });
    await until(() => isTold);
    expect(await statusOf('act_1')).toBe('cancelling');
    expect(await bench.told()).toEqual([]);
    letGo();
    expect(await reached('act_1', 'cancelled')).toMatchObject({ error: 'Indexing was cancelled.', attempts: 1 });
    // Somebody else did it, so the person who waits hears of it, once.
    expect(await bench.told()).toMatchObject([{ runId: 'act_1', outcome: 'failed', say: 'Indexing was cancelled.' }]);
    expect(await bench.runs.cancel('act_1', 'operator')).toEqual({ kind: 'over', lane: null, cards: [] });
  });

  it('by the person who asked for it sends this person no notification', async () => {
    bench.startRunner(async (_payload, { signal }) => {
      await stopped(signal);
      throw new Error('stopped');
    });
    await bench.ask('act_1', '1001');
    await reached('act_1', 'running');
    await bench.runs.cancel('act_1', '1001');
    await reached('act_1', 'cancelled');
    expect(await bench.told()).toEqual([]);
  });

  it('ends at once while it waits, and is never started', async () => {
    await bench.ask('act_1');
    expect(await bench.runs.cancel('act_1', 'operator')).toMatchObject({
      kind: 'cancelled',
      lane: { userKey: '1001' },
    });
    let calls = 0;
    bench.startRunner(async () => {
      calls += 1;
      return INDEXED;
    });
    await bench.ask('act_2'); // behind it in the queue
    await reached('act_2', 'done');
    expect(calls).toBe(1);
    expect(await statusOf('act_1')).toBe('cancelled');
    expect((await bench.told()).map(({ runId }) => runId)).toEqual(['act_1', 'act_2']);
  });

  it('but finished before it could be stopped is “done”', async () => {
    bench.startRunner(async (_payload, { signal }) => {
      await stopped(signal);
      return INDEXED;
    });
    await bench.ask('act_1');
    await reached('act_1', 'running');
    await bench.runs.cancel('act_1', 'operator');
    expect(await reached('act_1', 'done')).toMatchObject({ result: INDEXED });
    expect(await bench.told()).toMatchObject([{ outcome: 'done' }]);
  });

  it('ends even when its handler ignores the cancellation', async () => {
    let letGo = (): void => undefined;
    const open = new Promise<void>((resolve) => (letGo = resolve));
    bench.startRunner(async () => {
      await open;
      return INDEXED;
    });
    await bench.ask('act_1');
    await reached('act_1', 'running');
    await bench.runs.cancel('act_1', 'operator');
    await reached('act_1', 'cancelled');
    letGo();
    expect(await statusOf('act_1')).toBe('cancelled');
  });

  it('is not started again when its process died meanwhile', async () => {
    await bench.ask('act_1');
    await bench.pool.query(
      `update runs set status = 'running', attempts = 1, cancel_at = now(), cancel_by = 'operator', beat_at = now() - interval '1 hour'`,
    );
    let calls = 0;
    bench.startRunner(async () => {
      calls += 1;
      return INDEXED;
    });
    await reached('act_1', 'cancelled');
    expect(calls).toBe(0);
  });
});

describe('a run without progress', () => {
  it('is ended as stalled once its job handler has stopped', async () => {
    let hasStopped = false;
    bench.startRunner(
      async (_payload, { signal }) => {
        await stopped(signal);
        hasStopped = true;
        throw new Error('stopped');
      },
      { stallMs: 300 },
    );
    await bench.ask('act_1');
    await reached('act_1', 'failed');
    expect(hasStopped).toBe(true);
    expect((await bench.told())[0]?.say).toContain('made no progress for 0.3 s');
  });

  it.each(['progress', 'tell', 'log'] as const)('continues while it shows progress by %s', async (how) => {
    bench.startRunner(
      async (_payload, { progress, tell, log }) => {
        const startedAt = performance.now();
        const signs = {
          progress: () => progress(1, 2),
          tell: () => tell(`at ${performance.now()}`, { slot: 'bar' }),
          log: async () => log.child({ step: 1 }).debug('a step'),
        };
        // Longer than it may be silent.
        while (performance.now() - startedAt < 2_500) {
          await signs[how]();
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        return INDEXED;
      },
      { stallMs: 1_500 },
    );
    await bench.ask('act_1');
    await until(async () => ['done', 'failed'].includes((await statusOf('act_1')) ?? ''));
    expect(await statusOf('act_1')).toBe('done');
  });
});
