import { randomUUID } from 'node:crypto';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import { Approvals } from '@signalbox/governance/approvals';
import { openPool, withTransaction, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { resumeAction } from '@signalbox/governance/resume-decision';
import { executeCall } from '@signalbox/governance/action-run';
import { createPhaseMachine } from '@signalbox/worker/loop/fsm';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import type { CallScope } from '@signalbox/governance/calls/call';
import { tool, toolGroup, type ToolGroup } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { Crash, openMortalPool } from '../support/mortal-pool.ts';
import { governanceOver, scopeOfAda, shippedPolicy } from '../support/governance.ts';

/*
 * A worker that dies stops between two statements, or between a statement and the effect. Here it stops at each of these places in
 * turn: the connection is cut, nothing after it happens, and the turn is taken up again from its start, as a new worker does.
 */

const log = createLog('test', 'silent');

let database: TestDatabase;
let pool: Pool;
let policy: PolicyEngine;
/** What the target has seen, and whether the intent was committed when it did. */
let effects: { readonly actionId: string; readonly hadIntent: boolean }[] = [];

const group = (
  risk: 'sensitive' | 'dangerous',
  replay: 'harmless' | 'unknown',
  hasProbe: boolean,
  dieAfterEffect: () => void,
): ToolGroup =>
  toolGroup({
    name: 'test',
    summary: 'test',
    uses: [],
    tools: {
      act: tool({
        describe: 'acts',
        hints: ['act'],
        input: z.object({ name: z.string() }),
        risk,
        role: 'developer',
        egress: false,
        deadlineMs: 5_000,
        replay,
        run: async (_input, { actionId }) => {
          const { rows } = await pool.query<{ status: string }>('select status from actions where action_id = $1', [
            actionId,
          ]);
          effects.push({ actionId, hadIntent: rows[0]?.status === 'started' });
          dieAfterEffect();
          return { did: true };
        },
        ...(hasProbe
          ? {
              probe: (_input: unknown, { actionId }: { actionId: string }) =>
                Promise.resolve(
                  effects.some((effect) => effect.actionId === actionId)
                    ? { kind: 'done' as const, output: { did: true } }
                    : { kind: 'not-done' as const },
                ),
            }
          : {}),
        phrases: { done: () => 'Did it.' },
      }).from('outside'),
    },
  });

beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, log, { name: 'test', max: 10, as: 'owner' });
  policy = await shippedPolicy();
  await pool.query(
    `insert into lanes (user_key, epoch, worker, lease_until) values ('1', 7, 'w', now() + interval '1 hour')`,
  );
  await pool.query(
    `insert into users (user_key, channel, name, role) values ('1', 'telegram', 'Ada', 'developer'), ('2', 'telegram', 'Bob', 'operator')`,
  );
  await pool.query(`insert into settings (key, value) values ('approvals_chat', '{"chatKey": "telegram:-1009"}')`);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const scope = (): CallScope => scopeOfAda();
const resumedScope = (): CallScope => scopeOfAda({ enter: createPhaseMachine().to });

interface Way {
  readonly name: string;
  readonly risk: 'sensitive' | 'dangerous';
  readonly replay: 'harmless' | 'unknown';
  readonly hasProbe: boolean;
}
const WAYS: readonly Way[] = [
  { name: 'that runs unasked and cannot be looked up', risk: 'sensitive', replay: 'unknown', hasProbe: false },
  { name: 'that runs unasked and can be looked up', risk: 'sensitive', replay: 'unknown', hasProbe: true },
  { name: 'that was approved and cannot be looked up', risk: 'dangerous', replay: 'unknown', hasProbe: false },
  { name: 'that was approved and can be looked up', risk: 'dangerous', replay: 'unknown', hasProbe: true },
];

/** Runs an action whose worker dies at a place, and again until it ends. Answers how it ended; null when the place was never reached. */
async function survive(way: Way, at: number | 'effect', when: 'before' | 'after'): Promise<string | null> {
  const actionId = randomUUID();
  const first = openMortalPool(pool, { at: at === 'effect' ? Number.MAX_SAFE_INTEGER : at, when });
  let isFirst = true;
  const partsOf = (db: Pool, die: () => void): GovernanceDeps =>
    governanceOver(db, [group(way.risk, way.replay, way.hasProbe, die)], policy);
  const dieAfterEffect = (): void => {
    if (at !== 'effect' || !isFirst) return;
    isFirst = false;
    first.die();
    throw new Crash();
  };
  const call = { actionId, tool: 'act', args: { name: actionId }, groups: ['test'] };
  const wellParts = partsOf(pool, () => undefined);
  const mortalParts = partsOf(first.pool, dieAfterEffect);
  if (way.risk === 'sensitive') {
    await executeCall(mortalParts, scope(), call).catch(() => undefined);
    if (!first.dead()) return null;
    await executeCall(wellParts, scope(), call);
  } else {
    await executeCall(wellParts, scope(), call);
    const { rows } = await pool.query<{ approval_id: string }>(
      'select approval_id from approvals where action_id = $1',
      [actionId],
    );
    const approvalId = rows[0]?.approval_id ?? '';
    await withTransaction(pool, (db) =>
      new Approvals(db).decide(policy, {
        approvalId,
        verb: 'approve',
        by: { userKey: '2', name: 'Bob', role: 'operator' },
      }),
    );
    const { rows: woken } = await pool.query<{ envelope: Parameters<typeof resumeAction>[2] }>(
      `select envelope from inbox where kind = 'decision' and envelope ->> 'approvalId' = $1`,
      [approvalId],
    );
    const [{ envelope }] = woken as [(typeof woken)[number]];
    await resumeAction(mortalParts, resumedScope(), envelope).catch(() => undefined);
    if (!first.dead()) return null;
    await resumeAction(wellParts, resumedScope(), envelope);
  }
  const mine = effects.filter((effect) => effect.actionId === actionId);
  expect(mine.length, `effects when it died ${when} ${at}`).toBeLessThanOrEqual(1);
  expect(mine.every((effect) => effect.hadIntent)).toBe(true);
  const { rows } = await pool.query<{ status: string }>('select status from actions where action_id = $1', [actionId]);
  const status = rows[0]?.status ?? 'none';
  // Settled, and never a claim that is not true.
  expect(['done', 'unknown']).toContain(status);
  // Where the target can be asked there is no doubt; done means that it happened.
  expect([way.hasProbe && status !== 'done', status === 'done' && mine.length !== 1]).toEqual([false, false]);
  return status;
}

describe('a worker that dies anywhere in an action', () => {
  it.each(WAYS)(
    '$name: causes no second effect and none without a recorded intent, and the action always ends',
    async (way) => {
      effects = [];
      let places = 0;
      for (let at = 1; ; at++) {
        const outcomes = [await survive(way, at, 'before'), await survive(way, at, 'after')];
        if (outcomes.every((outcome) => outcome === null)) break;
        places += outcomes.filter((outcome) => outcome !== null).length;
        expect(at, 'it has an end').toBeLessThan(200);
      }
      expect(await survive(way, 'effect', 'after')).toBe(way.hasProbe ? 'done' : 'unknown');
      expect(places).toBeGreaterThan(5);
    },
  );
});
