import { randomUUID } from 'node:crypto';
import type { Pool } from '@signalbox/store/pool';
import { executeCall } from '@signalbox/governance/action-run';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { z } from 'zod';
import { governanceOver, scopeOfAda, shippedPolicy } from '../../support/governance.ts';

/** A tool that changes nothing, under everything that governs one that does. */
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
      egress: false,
      deadlineMs: 5_000,
      replay: 'harmless',
      run: () => Promise.resolve({}),
      phrases: { done: () => 'Did it.' },
    }).from('outside'),
  },
});

/** Makes people of these keys, with a lane each, and answers how their changes are governed over a pool. */
export async function openGovernedChanges(db: Pool, people: readonly string[]) {
  const policy = await shippedPolicy();
  await db.query(
    `insert into lanes (user_key, epoch, worker, lease_until) select k, 7, 'w', now() + interval '1 hour' from unnest($1::text[]) k`,
    [people],
  );
  await db.query(
    `insert into users (user_key, channel, name, role) select k, 'telegram', 'P', 'developer' from unnest($1::text[]) k`,
    [people],
  );
  return {
    governanceOver: (pool: Pool): GovernanceDeps => governanceOver(pool, [nothing], policy),
    /** One governed change of a person: a name that was not there before. */
    change(parts: GovernanceDeps, userKey: string): Promise<unknown> {
      const scope = scopeOfAda({
        lane: { userKey, epoch: '7' },
        threadId: `user_${userKey}_1`,
        actor: { userKey, name: 'P', role: 'developer' },
      });
      const args = { name: randomUUID() };
      return executeCall(parts, scope, { actionId: randomUUID(), tool: 'act', args, groups: ['test'] });
    },
  };
}

/** Pairs of a governed change and a commit of one row, in milliseconds; the first hundred do not count. */
export async function measurePairs(
  rounds: number,
  change: () => Promise<unknown>,
  commit: () => Promise<unknown>,
): Promise<{ readonly changes: readonly number[]; readonly commits: readonly number[] }> {
  const [changes, commits]: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < rounds; round++) {
    const [own, bare] = [await timed(change), await timed(commit)];
    if (round < 0) continue;
    changes.push(own);
    commits.push(bare);
  }
  return { changes, commits };
}

const WARM_UP = 100;

/** Milliseconds that this takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const at = performance.now();
  await work();
  return performance.now() - at;
}
