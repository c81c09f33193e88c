/*
 * What governance costs a change: assessment, policy, facts, the intent row with its audit events, an empty handler and the
 * settlement; against single-row commits, in the same run and on the same server with durable commits. Then how many such changes a
 * second one worker makes with eight people at once, and two workers with four each: they share the audit log and nothing else.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@signalbox/local/postgres/postgres';
import { migrate } from '@signalbox/store/migrations/migrate';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { executeCall } from '@signalbox/worker/governance/execute';
import type { ExecuteParts } from '@signalbox/worker/governance/parts';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { z } from 'zod';
import { governanceOver, scopeOfAda, shippedPolicy } from '../support/governance.ts';

const ROUNDS = 600;
const WARM_UP = 100;
const PEOPLE = 8;
const EACH = 150;

const log = createLog('bench', 'silent');
const nothing = toolGroup({
  name: 'test',
  summary: 'test',
  uses: [],
  tools: {
    act: tool({
      describe: 'acts',
      hints: ['act'],
      input: z.object({ name: z.string() }),
      risk: 'sensitive',
      role: 'developer',
      holds: 'facts',
      egress: false,
      deadlineMs: 5_000,
      replay: 'harmless',
      run: () => Promise.resolve({}),
      phrases: { done: () => 'Did it.' },
    }),
  },
});
const share = (times: readonly number[], at: number): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * at)] ?? Number.NaN;
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const at = performance.now();
  await work();
  return performance.now() - at;
};

const dir = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const postgres = await startPostgres({ dir: join(dir, 'postgres') });
try {
  await migrate(postgres.url);
  const open = (): Pool => openPool(postgres.url, log, { name: 'bench', max: PEOPLE, as: 'owner' });
  const pool = open();
  const policy = await shippedPolicy();
  const people = Array.from({ length: PEOPLE }, (_, i) => String(i + 1));
  await pool.query(
    `insert into lanes (user_key, epoch, worker, lease_until) select k, 7, 'w', now() + interval '1 hour' from unnest($1::text[]) k`,
    [people],
  );
  await pool.query(
    `insert into users (user_key, channel, name, role) select k, 'telegram', 'P', 'developer' from unnest($1::text[]) k`,
    [people],
  );
  await pool.query('create table bench_commit (body bytea)');
  const commit = (db: Pool): Promise<unknown> => db.query('insert into bench_commit values ($1)', [Buffer.alloc(200)]);
  const change = (parts: ExecuteParts, userKey: string): Promise<unknown> => {
    const scope = scopeOfAda({
      lane: { userKey, epoch: '7' },
      threadId: `user_${userKey}_1`,
      actor: { userKey, name: 'P', role: 'developer' },
    });
    return executeCall(parts, scope, {
      actionId: randomUUID(),
      tool: 'act',
      args: { name: randomUUID() },
      groups: ['test'],
    });
  };
  const parts = governanceOver(pool, [nothing], policy);

  const changes: number[] = [];
  const commits: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const a = await timed(() => change(parts, '1'));
    const b = await timed(() => commit(pool));
    if (round < 0) continue;
    changes.push(a);
    commits.push(b);
  }
  for (const [name, at] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const [own, bare] = [share(changes, at), share(commits, at)];
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
  const second = governanceOver(other, [nothing], policy);
  const bare = await crowd([() => commit(pool)]);
  const one = await crowd([(who) => change(parts, who)]);
  const two = await crowd([(who) => change(parts, who), (who) => change(second, who)]);
  console.log(`commits/s with ${PEOPLE} at once: ${bare.toFixed(0)}`);
  console.log(`governed changes/s, one worker: ${one.toFixed(0)} (${(one / bare).toFixed(2)} of commits)`);
  console.log(`governed changes/s, two workers: ${two.toFixed(0)} (${(two / one).toFixed(2)} × one worker)`);
  await Promise.all([pool.end(), other.end()]);
} finally {
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}
