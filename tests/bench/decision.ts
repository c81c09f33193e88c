/*
 * What governance costs a change: assessment, policy, facts, the intent row with its audit events, an empty handler and the
 * settlement; against single-row commits, in the same run and on the same server with durable commits. Then how many such changes a
 * second one worker makes with eight people at once, and two workers with four each: they share the audit log and nothing else.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@signalbox/local/postgres/postgres';
import { migrate } from '@signalbox/store/migrations/migrate';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { percentile } from './peers/figures.ts';
import { measurePairs, openGovernedChanges, timed } from './peers/governed-change.ts';

const ROUNDS = 600;
const PEOPLE = 8;
const EACH = 150;

const log = createLog('bench', 'silent');
const dir = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const postgres = await startPostgres({ dir: join(dir, 'postgres') });
try {
  await migrate(postgres.url);
  const open = (): Pool => openPool(postgres.url, log, { name: 'bench', max: PEOPLE, as: 'owner' });
  const pool = open();
  const people = Array.from({ length: PEOPLE }, (_, i) => String(i + 1));
  const governed = await openGovernedChanges(pool, people);
  await pool.query('create table bench_commit (body bytea)');
  const commit = (db: Pool): Promise<unknown> => db.query('insert into bench_commit values ($1)', [Buffer.alloc(200)]);
  const parts = governed.governanceOver(pool);
  const { changes, commits } = await measurePairs(
    ROUNDS,
    () => governed.change(parts, '1'),
    () => commit(pool),
  );
  for (const [name, at] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const [own, bare] = [percentile(changes, at), percentile(commits, at)];
    console.log(
      `${name}: a governed change ${own.toFixed(2)} ms, a commit ${bare.toFixed(2)} ms, ${(own / bare).toFixed(1)} ×`,
    );
  }

  const crowd = async (workers: readonly ((userKey: string) => Promise<unknown>)[]): Promise<number> => {
    const tookMs = await timed(() =>
      Promise.all(
        people.map(async (userKey, i) => {
          const work = workers[i % workers.length];
          for (let n = 0; n < EACH; n++) await work?.(userKey);
        }),
      ),
    );
    return (PEOPLE * EACH * 1_000) / tookMs;
  };
  const other = open();
  const second = governed.governanceOver(other);
  const bare = await crowd([() => commit(pool)]);
  const one = await crowd([(who) => governed.change(parts, who)]);
  const two = await crowd([(who) => governed.change(parts, who), (who) => governed.change(second, who)]);
  console.log(`commits/s with ${PEOPLE} at once: ${bare.toFixed(0)}`);
  console.log(`governed changes/s, one worker: ${one.toFixed(0)} (${(one / bare).toFixed(2)} of commits)`);
  console.log(`governed changes/s, two workers: ${two.toFixed(0)} (${(two / one).toFixed(2)} × one worker)`);
  await Promise.all([pool.end(), other.end()]);
} finally {
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}
