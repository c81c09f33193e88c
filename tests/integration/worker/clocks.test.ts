import { HOUR_MS } from '@signalbox/contracts/time';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { echo } from '../../support/echo.ts';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

let bench: WorkerBench;
beforeEach(async () => {
  bench = await openWorkerBench();
});
afterEach(async () => {
  vi.useRealTimers();
  await bench.close();
});

describe("a worker whose machine's clock is off", () => {
  it.each([
    ['two hours ahead', 2 * HOUR_MS],
    ['two hours behind', -2 * HOUR_MS],
  ])('writes turns that begin before they end, when they did (%s)', async (_how, offMs) => {
    await bench.addPerson('72');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs, shouldAdvanceTime: true });
    await bench.startWorker({ script: echo() });
    await bench.say('72', 'm1');
    await eventually(
      () => bench.outcomes('72'),
      (all) => all.every(Boolean),
    );
    const { rows } = await bench.pool.query(
      `select started_at between i.received_at and ended_at as "isInOrder", ended_at <= clock_timestamp() as "isOver"
         from turns t join inbox i on i.turn_id = t.turn_id`,
    );
    expect(rows).toEqual([{ isInOrder: true, isOver: true }]);
  });
});
