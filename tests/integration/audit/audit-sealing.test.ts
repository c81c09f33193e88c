import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readCheckpointFile } from '@signalbox/safety/audit/checkpoint-file';
import { appendAudit } from '@signalbox/store/audit/audit';
import { withTransaction } from '@signalbox/store/pool';
import type { Sealer } from '@signalbox/jobs/audit/audit-sealer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { exampleEvent, openAuditHarness, type AuditHarness } from './harness.ts';

let harness: AuditHarness;
beforeEach(async () => void (harness = await openAuditHarness()));
afterEach(() => harness.close());

const append = (count: number, first = 0): Promise<void> =>
  appendAudit(
    harness.pool,
    Array.from({ length: count }, (_, i) => exampleEvent(first + i)),
  );

async function readOrder(): Promise<readonly { seq: number; n: number }[]> {
  const { rows } = await harness.owner.query<{ seq: number; n: number }>(
    `select c.seq::int as seq, (e.data ->> 'n')::int as n from audit_chain c join audit_events e using (event_id) order by c.seq`,
  );
  return rows;
}

async function readLineSizes(): Promise<readonly number[]> {
  const sizes: number[] = [];
  for await (const line of readCheckpointFile(harness.file)) sizes.push(line.size);
  return sizes;
}

/** Lets a sealer work, whatever happens to it, until the test is done with it. */
function keepSealing(sealer: Sealer): { stop(): Promise<void>; readonly failures: unknown[] } {
  let stopping = false;
  const failures: unknown[] = [];
  const running = (async () => {
    while (!stopping) {
      await sealer.step().catch((error: unknown) => failures.push(error));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await sealer.close();
  })();
  return {
    failures,
    stop: () => {
      stopping = true;
      return running;
    },
  };
}

/** Eight connections that record in transactions of 1 to 5 events, some of which commit long after others that began later. */
async function appendFromEight(perAppender: number): Promise<number> {
  const appenders = Array.from({ length: 8 }, async (_, appender) => {
    let count = 0;
    for (let round = 0; round < perAppender; round++) {
      await withTransaction(harness.pool, async (db) => {
        const size = 1 + ((appender * 7 + round * 3) % 5);
        for (let i = 0; i < size; i++) await appendAudit(db, [exampleEvent(appender * 100_000 + count++)]);
        if ((appender + round) % 4 === 0) await db.query('select pg_sleep(0.03)');
        else if ((appender + round) % 7 === 0) await db.query('select pg_sleep(0.005)');
      });
    }
    return count;
  });
  return (await Promise.all(appenders)).reduce((sum, count) => sum + count, 0);
}

describe('the audit sealer', () => {
  it('numbers the events without a gap while eight concurrent transactions commit late', async () => {
    const sealing = keepSealing(harness.openSealer());
    const recorded = await appendFromEight(25);
    await until(async () => (await readOrder()).length === recorded);
    await sealing.stop();
    const order = await readOrder();
    expect(sealing.failures).toEqual([]);
    expect(order.map(({ seq }) => seq)).toEqual(Array.from({ length: recorded }, (_, i) => i + 1));
    expect(new Set(order.map(({ n }) => n)).size).toBe(recorded);
    expect(await harness.verify()).toMatchObject({ ok: true, events: recorded });
  });

  it('orders events by commit: an event that was written first and committed last comes last', async () => {
    const late = await harness.pool.connect();
    await late.query('begin');
    await appendAudit(late, [exampleEvent(1)]);
    await append(3, 2);
    await harness.sealAll();
    expect((await readOrder()).map(({ n }) => n)).toEqual([2, 3, 4]);
    await late.query('commit');
    late.release();
    await append(1, 5);
    await harness.sealAll();
    expect((await readOrder()).map(({ n }) => n)).toEqual([2, 3, 4, 1, 5]);
    expect(await harness.verify()).toMatchObject({ ok: true, events: 5, covered: 5 });
  });

  it('works in one process at a time, and another process takes over when the first one ends', async () => {
    const [first, second] = [harness.openSealer(), harness.openSealer()];
    await append(10);
    expect(await first.step()).toBe('idle');
    expect(await second.step()).toBe('away');
    await append(10, 10);
    expect(await second.step()).toBe('away');
    await first.close();
    await until(async () => (await second.step()) === 'idle');
    await second.close();
    expect(await harness.verify()).toMatchObject({ ok: true, events: 20, covered: 20 });
  });

  it('keeps the history intact when two sealers work at once', async () => {
    const sealing = [0, 1].map(() => keepSealing(harness.openSealer()));
    // The lock is what tells them; here each loses it time and again while it works.
    const thief = await harness.owner.connect();
    let stopped = false;
    const stealing = (async () => {
      while (!stopped)
        await thief.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where application_name = 'signalbox-sealer' and datname = current_database() and random() < 0.3`,
        );
    })();
    const recorded = await appendFromEight(15);
    stopped = true;
    await stealing;
    thief.release();
    await until(async () => (await readOrder()).length === recorded);
    for (const one of sealing) await one.stop();
    await harness.sealAll();
    expect((await readOrder()).map(({ seq }) => seq)).toEqual(Array.from({ length: recorded }, (_, i) => i + 1));
    expect(sealing.flatMap(({ failures }) => failures).filter(isDifference)).toEqual([]);
    expect(await harness.verify()).toMatchObject({ ok: true, events: recorded, covered: recorded });
  });

  it('copies checkpoints into the file that an earlier sealer signed but could not write there', async () => {
    await append(150);
    const [gone, nowhere] = [join(harness.dir, 'gone'), join(harness.dir, 'nowhere')];
    symlinkSync(nowhere, gone); // as a folder that is not mounted: there is nothing to read, and nothing can be written
    await expect(harness.sealAll({ file: join(gone, 'checkpoints.jsonl') })).rejects.toThrow(/ENOENT|EEXIST/);
    const { rows } = await harness.owner.query<{ size: number }>('select size::int from audit_checkpoints');
    expect(rows).toEqual([{ size: 150 }]);
    expect(await readLineSizes()).toEqual([]);
    await append(10, 150);
    await harness.sealAll();
    expect(await readLineSizes()).toEqual([150, 160]);
    expect(await harness.verify()).toMatchObject({ ok: true, covered: 160 });
  });

  it('signs a checkpoint after a number of events, or after some time', async () => {
    const sealer = harness.openSealer({ checkpointEvents: 100, checkpointMs: 3_600_000 });
    for (const [count, sizes] of [
      [99, []],
      [1, [100]],
      [250, [100, 350]],
    ] as const) {
      await append(count);
      await sealer.step();
      expect(await readLineSizes()).toEqual(sizes);
    }
    await sealer.close();
    await append(1);
    await harness.sealAll({ checkpointMs: 0 });
    expect(await readLineSizes()).toEqual([100, 350, 351]);
    await harness.sealAll({ checkpointMs: 0 });
    expect(await readLineSizes()).toEqual([100, 350, 351]); // nothing new, nothing signed
  });
});

function isDifference(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'AUDIT_HISTORY_DIFFERS';
}
