import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '@signalbox/contracts/errors';
import { startOwnRedis } from '../../support/redis.ts';
import { INDEXED, openJobsBench, until, type IndexHandler, type JobsBench } from './bench.ts';

let bench: JobsBench;
beforeEach(async () => {
  bench = await openJobsBench();
});
afterEach(() => bench.close());

/** Waits until a run has ended. */
const endOf = (on: JobsBench, runId: string) =>
  until(async () => {
    const run = await on.runs.find(runId);
    return run?.status === 'done' || run?.status === 'failed' ? run : null;
  });
const ended = (runId: string) => endOf(bench, runId);

/** A handler that the test holds: `entered` counts its calls, `finish` lets all of them end. */
function gate(): { run: IndexHandler; entered: () => number; finish: () => void } {
  let entered = 0;
  let finish = (): void => undefined;
  const open = new Promise<void>((resolve) => (finish = resolve));
  const run: IndexHandler = async () => {
    entered += 1;
    await open;
    return INDEXED;
  };
  return { run, entered: () => entered, finish };
}

describe('a run that a person asked for', () => {
  it('ends with its result in Postgres and one message in the inbox', async () => {
    bench.startRunner(async () => INDEXED);
    await bench.ask('act_1');
    expect(await ended('act_1')).toMatchObject({ status: 'done', result: INDEXED, attempts: 1, error: null });
    expect(await bench.told()).toMatchObject([
      {
        runId: 'act_1',
        outcome: 'done',
        say: 'Indexed.',
        userKey: '1001',
        chatKey: 'telegram:1001',
        traceId: 'trc_test',
      },
    ]);
    const lanes = await bench.pool.query(`select 1 from lanes where user_key = '1001'`);
    expect(lanes.rowCount).toBe(1);
  });

  it('runs once when the same action requests it twice, even after it has ended', async () => {
    let calls = 0;
    bench.startRunner(async () => {
      calls += 1;
      return INDEXED;
    });
    await Promise.all([bench.ask('act_1'), bench.ask('act_1')]);
    await ended('act_1');
    await bench.ask('act_1');
    await bench.ask('act_2'); // behind it in the queue: when this has ended, the repetition was looked at
    await ended('act_2');
    expect(calls).toBe(2);
    expect(await bench.told()).toHaveLength(2);
  });

  it('is retried after a transient failure', async () => {
    const attempts: number[] = [];
    bench.startRunner(async () => {
      attempts.push(attempts.length + 1);
      if (attempts.length === 1) throw new AppError('UPSTREAM_UNAVAILABLE', { service: 'Something' });
      return INDEXED;
    });
    await bench.ask('act_1');
    expect(await ended('act_1')).toMatchObject({ status: 'done', attempts: 2 });
    expect(await bench.told()).toHaveLength(1);
  });

  it('fails at once after a permanent failure, and its message hides the error text', async () => {
    bench.startRunner(async () => {
      throw new Error('secret detail');
    });
    await bench.ask('act_1');
    expect(await ended('act_1')).toMatchObject({ status: 'failed', attempts: 1 });
    const [told] = await bench.told();
    expect(told).toMatchObject({ outcome: 'failed' });
    expect(told?.say).toContain('Indexing failed');
    expect(told?.say).not.toContain('secret');
  });

  it('fails when its attempts are used up', async () => {
    bench.startRunner(
      async () => {
        throw new AppError('UPSTREAM_UNAVAILABLE', { service: 'Something' });
      },
      { attempts: 2 },
    );
    await bench.ask('act_1');
    expect(await ended('act_1')).toMatchObject({ status: 'failed', attempts: 2 });
  });

  it('is stopped at its deadline, even when its handler ignores the abort signal', async () => {
    const { run, finish } = gate();
    bench.startRunner(run, { deadlineMs: 200 });
    await bench.ask('act_1');
    expect(await ended('act_1')).toMatchObject({ status: 'failed' });
    expect((await bench.told())[0]?.say).toContain('did not end within 0.2 s');
    finish();
  });

  it('shows its progress', async () => {
    const held = gate();
    bench.startRunner(async (payload, context) => {
      await context.progress(3, 10);
      return held.run(payload, context);
    });
    await bench.ask('act_1');
    const progress = await until(async () => (await bench.runs.find('act_1'))?.progress);
    expect(progress).toEqual({ done: 3, total: 10 });
    held.finish();
    await ended('act_1');
  });
});

describe('a run whose process ends', () => {
  it('is returned to the queue when the process stops, without counting the attempt', async () => {
    const held = gate();
    const first = bench.startRunner(held.run, { attempts: 1 });
    await bench.ask('act_1');
    await until(() => held.entered() === 1);
    await first.close();
    expect(await bench.runs.find('act_1')).toMatchObject({ status: 'queued', attempts: 0 });
    bench.startRunner(async () => INDEXED, { attempts: 1 });
    expect(await ended('act_1')).toMatchObject({ status: 'done', attempts: 1 });
    held.finish();
  });

  it('cannot be ended by its old process after a new process has taken it over', async () => {
    await bench.runs.create({
      runId: 'act_1',
      job: 'knowledge.index',
      payload: {},
      person: { userKey: '1', chatKey: 'c' },
      threadId: null,
      traceId: 't',
    });
    const first = await bench.runs.begin('act_1', 60_000);
    expect(await bench.runs.begin('act_1', 60_000)).toEqual({ kind: 'busy' });
    await bench.pool.query(`update runs set beat_at = now() - interval '1 hour'`); // as if its process were frozen
    const second = await bench.runs.begin('act_1', 60_000);
    if (first.kind !== 'held' || second.kind !== 'held') throw new Error('both were to get it');
    const end = { outcome: 'done', result: INDEXED, error: null, say: 'Done.' } as const;
    expect(await bench.runs.beat([first.run])).toEqual({ lost: ['act_1'], cancelled: [] });
    expect(await bench.runs.finish(first.run, end)).toEqual({ recorded: false, lane: null, cards: [] });
    expect(await bench.runs.report(first.run, {})).toBe(false);
    const lane = { userKey: '1', traceId: 't' };
    expect(await bench.runs.finish(second.run, end)).toEqual({ recorded: true, lane, cards: [] });
    expect(await bench.runs.finish(second.run, end)).toEqual({ recorded: false, lane: null, cards: [] });
    expect(await bench.told('1')).toHaveLength(1);
  });

  it('fails when the process died in every one of its attempts', async () => {
    await bench.ask('act_1');
    await bench.pool.query(`update runs set attempts = 3, status = 'running', beat_at = now() - interval '1 hour'`);
    bench.startRunner(async () => INDEXED, { attempts: 3 });
    expect(await ended('act_1')).toMatchObject({ status: 'failed' });
    expect((await bench.told())[0]?.say).toContain('interrupted 3 times');
  });
});

describe('a Redis that loses its data', () => {
  it('does not lose a run that was waiting', async () => {
    const redis = await startOwnRedis();
    const forgetful = await openJobsBench(redis.url);
    try {
      await forgetful.ask('act_1');
      await redis.restart({ empty: true });
      forgetful.startRunner(async () => INDEXED);
      await endOf(forgetful, 'act_1');
      expect(await forgetful.told()).toHaveLength(1);
    } finally {
      await forgetful.close();
      await redis.stop();
    }
  });

  it("does not start a running run twice, and the run's result is stored once", async () => {
    const redis = await startOwnRedis();
    const forgetful = await openJobsBench(redis.url);
    const held = gate();
    try {
      forgetful.startRunner(held.run);
      await forgetful.ask('act_1');
      await until(() => held.entered() === 1);
      await redis.restart({ empty: true });
      // A second run comes back through the sweeper: by then the first was looked at, too.
      await forgetful.ask('act_2');
      await until(() => held.entered() === 2);
      held.finish();
      for (const runId of ['act_1', 'act_2']) await endOf(forgetful, runId);
      expect(held.entered()).toBe(2);
      expect(await forgetful.told()).toHaveLength(2);
    } finally {
      await forgetful.close();
      await redis.stop();
    }
  });

  it('does not block a tool that starts a run: the run is stored at once, and queued later', async () => {
    const redis = await startOwnRedis();
    const forgetful = await openJobsBench(redis.url);
    try {
      await redis.kill();
      await forgetful.ask('act_1');
      expect(await forgetful.runs.find('act_1')).toMatchObject({ status: 'queued' });
      await redis.restart();
      forgetful.startRunner(async () => INDEXED);
      await endOf(forgetful, 'act_1');
    } finally {
      await forgetful.close();
      await redis.stop();
    }
  });
});

it('the runner keeps the newest hundred runs of a scheduled job, and every run a person asked for', async () => {
  await bench.ask('act_1');
  for (let i = 0; i < 105; i++) {
    const execution = { runId: `run_${i}`, job: 'threads.expire', traceId: 't', startedAt: new Date() };
    await bench.runs.record({ ...execution, outcome: 'done', result: { expired: 1 }, error: null });
  }
  expect(await bench.runs.find('run_4')).toBeNull();
  expect(await bench.runs.find('run_5')).not.toBeNull();
  expect(await bench.runs.find('act_1')).not.toBeNull();
});
