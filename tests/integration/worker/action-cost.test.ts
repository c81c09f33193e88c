import { randomUUID } from 'node:crypto';
import { createLog } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import { executeCall } from '@signalbox/governance/action-run';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { createCheckpointTables } from '@signalbox/worker/checkpoints/set-up';
import type { CallScope } from '@signalbox/governance/calls/call';
import type { ToolCallResult } from '@signalbox/governance/calls/call';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { governanceOver, scopeOfAda, shippedPolicy } from '../../support/governance.ts';

const act = tool({
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
}).from('outside');

describe('a change that needs no approval', () => {
  let database: TestDatabase;
  let pool: Pool;
  let policy: PolicyEngine;
  let sent: unknown[];
  beforeAll(async () => {
    database = await createDatabase();
    policy = await shippedPolicy();
    pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 2, as: 'owner' });
    await createCheckpointTables(pool);
    await pool.query(
      `insert into lanes (user_key, epoch, worker, lease_until) values ('1', 7, 'w', now() + interval '1 hour')`,
    );
    await pool.query(`insert into users (user_key, channel, name, role) values ('1', 'telegram', 'Ada', 'developer')`);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => void (sent = []));

  const change = (
    limits: Partial<GovernanceDeps['limits']> = {},
    scope: CallScope = scopeOfAda(),
  ): Promise<ToolCallResult> => {
    // Any call of the pool is one round trip; whoever takes a connection out of it would be seen as well.
    const counted = new Proxy(pool, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: readonly [{ readonly name?: string }]): unknown => {
          sent.push(name === 'query' ? (given[0].name ?? given[0]) : name);
          return Reflect.apply(member, target, given);
        };
      },
    });
    const group = toolGroup({ name: 'test', summary: 'test', uses: [], tools: { act } });
    const none = { callsPerHour: null, tokensPerDay: null, costUsdPerDay: null };
    const parts = governanceOver(counted, [group], policy, { limits: { ...none, ...limits } });
    const call = { actionId: randomUUID(), tool: 'act', args: { name: randomUUID() }, groups: ['test'] };
    return executeCall(parts, scope, call);
  };

  it('costs three database statements: reading the policy facts, storing the intent and storing the result', async () => {
    expect(await change()).toMatchObject({ ok: true });
    expect(sent).toEqual(['action_facts', 'action_begin', 'action_settle']);
    const { rows } = await pool.query(`select kind, count(*)::int from audit_events group by 1 order by 1`);
    expect(rows).toEqual([
      { kind: 'action.decided', count: 1 },
      { kind: 'action.settled', count: 1 },
      { kind: 'action.started', count: 1 },
    ]);
  });

  it('counts its calls in the database only where a budget limits them', async () => {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int from actions where started_at is not null`,
    );
    const begun = rows[0]?.count ?? 0;
    expect(await change({ callsPerHour: begun + 1 })).toMatchObject({ ok: true });
    expect(sent[0]).toBe('action_facts_and_use');
    expect(await change({ callsPerHour: begun + 1 })).toMatchObject({ ok: false, code: 'POLICY_DENIED' });
  });

  describe('when the same statement stores the checkpoint', () => {
    const inTables = async (threadId: string): Promise<readonly [number, number]> => {
      const { rows } = await pool.query<{ checkpoints: number; actions: number }>(
        `select (select count(*)::int from langgraph.checkpoints where thread_id = $1) as checkpoints,
                (select count(*)::int from actions where thread_id = $1) as actions`,
        [threadId],
      );
      return [rows[0]?.checkpoints ?? -1, rows[0]?.actions ?? -1];
    };
    /** A scope whose turn has a checkpoint to store, which follows `parentId`. */
    const scopeWith = (threadId: string, lane: CallScope['lane'], parentId: string | null): CallScope => ({
      ...scopeOfAda(),
      threadId,
      lane,
      flushWith: (write) => {
        const [blobs, writes] = [
          [[], [], [], []],
          [[], [], [], [], []],
        ] as const;
        return write({ threadId, checkpointId: randomUUID(), parentId, body: '{}', metadata: '{}', blobs, writes });
      },
    });
    const held = { userKey: '1', epoch: '7' };

    it('costs three database statements as well, because storing the intent stores the checkpoint', async () => {
      expect(await change({}, scopeWith('stored', held, null))).toMatchObject({ ok: true });
      expect(sent).toEqual(['action_facts', 'action_begin_checkpoint', 'action_settle']);
      expect(await inTables('stored')).toEqual([1, 1]);
    });

    it.each([
      ['another worker has the lane', { userKey: '1', epoch: '6' }, null],
      ['the thread has gone on', held, 'one that is not the newest'],
    ])('stores neither the intent nor the checkpoint when %s', async (why, lane, parentId) => {
      await change({}, scopeWith(why, held, null));
      await expect(change({}, scopeWith(why, lane, parentId))).rejects.toMatchObject({ code: 'LANE_LOST' });
      expect(await inTables(why)).toEqual([1, 1]);
    });
  });
});
