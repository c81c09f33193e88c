import { randomUUID } from 'node:crypto';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { Role } from '@signalbox/contracts/governance/roles';
import { Approvals } from '@signalbox/governance/approvals';
import { openPool, withTransaction, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { resumeAction, type DecisionEnvelope } from '@signalbox/governance/resume-decision';
import { executeCall } from '@signalbox/governance/action-run';
import { createPhaseMachine } from '@signalbox/worker/loop/fsm';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import type { CallScope } from '@signalbox/governance/calls/call';
import { tool, toolGroup, type ToolGroup } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { governanceOver, scopeOfAda, shippedPolicy } from '../support/governance.ts';

const log = createLog('test', 'silent');
/** Approvals at work at once: more than the pool has connections would only wait. */
const AT_ONCE = 8;

let database: TestDatabase;
let pool: Pool;
let policy: PolicyEngine;
let parts: GovernanceDeps;
const effects: string[] = [];

const group = (describe_ = 'Erases a thing.', extra: z.ZodRawShape = {}): ToolGroup =>
  toolGroup({
    name: 'test',
    summary: 'test',
    uses: [],
    tools: {
      erase: tool({
        describe: describe_,
        hints: ['erase'],
        input: z.object({ name: z.string(), size: z.number().int(), ...extra }),
        risk: 'dangerous',
        role: 'developer',
        egress: false,
        deadlineMs: 5_000,
        replay: 'unknown',
        run: async (input, context) => {
          effects.push(context.actionId);
          return { erased: String(input['name']) };
        },
        phrases: { done: (_output, input) => `Erased ${String(input['name'])}.` },
      }).from({ erased: 'runtime' }),
    },
  });

beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, log, { name: 'test', max: 20, as: 'owner' });
  policy = await shippedPolicy();
  parts = governanceOver(pool, [group()], policy);
  await pool.query(
    `insert into lanes (user_key, epoch, worker, lease_until)
     select k, 7, 'w', now() + interval '1 hour' from unnest(array['1', '9']) k`,
  );
  await pool.query(
    `insert into users (user_key, channel, name, role) values
       ('1', 'telegram', 'Ada', 'developer'), ('2', 'telegram', 'Bob', 'operator'), ('3', 'telegram', 'Cy', 'operator'),
       ('9', 'telegram', 'Eve', 'developer')`,
  );
  await pool.query(`insert into settings (key, value) values ('approvals_chat', '{"chatKey": "telegram:-1009"}')`);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const decider = (userKey: string, role: Role = 'operator') => ({ userKey, name: `P${userKey}`, role });
const request = async (actionId: string): Promise<string> => {
  const args = { name: `thing-${actionId.slice(0, 8)}`, size: 3 };
  const result = await executeCall(parts, scopeOfAda(), { actionId, tool: 'erase', args, groups: ['test'] });
  return (result.result as { request: string }).request;
};
const approve = (approvalId: string, userKey: string): Promise<string> =>
  withTransaction(pool, async (db) => {
    const { toast } = await new Approvals(db).decide(policy, { approvalId, verb: 'approve', by: decider(userKey) });
    return toast;
  });
const decided = (): CallScope => scopeOfAda({ enter: createPhaseMachine().to });
const envelope = (approvalId: string, actionId: string): DecisionEnvelope => ({
  kind: 'decision',
  id: `system:approvals:${approvalId}`,
  channel: 'system',
  bot: 'approvals',
  updateId: approvalId,
  userKey: '1',
  chatKey: 'telegram:1',
  traceId: 'trc',
  at: new Date().toISOString(),
  approvalId,
  actionId,
  threadId: 'user_1_1',
  outcome: 'approved',
});
const each = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const rest = [...items];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
    }),
  );
};

describe('two approvers who press at the same moment', () => {
  it('start one effect in each of a thousand trials', async () => {
    effects.length = 0;
    const ids = Array.from({ length: 1_000 }, () => randomUUID());
    await each(ids, async (actionId) => {
      const approvalId = await request(actionId);
      await Promise.all(['2', '3', '2'].map((who) => approve(approvalId, who)));
      await resumeAction(parts, decided(), envelope(approvalId, actionId));
      // The same wake-up again, as after a crash of the worker.
      await resumeAction(parts, decided(), envelope(approvalId, actionId));
    });
    expect(effects.toSorted()).toEqual(ids.toSorted());
    const { rows } = await pool.query<{ wakes: number; consumed: number; votes: number }>(
      `select (select count(*)::int from inbox where kind = 'decision') as wakes,
              (select count(*)::int from approvals where status = 'consumed') as consumed,
              (select count(*)::int from approval_votes) as votes`,
    );
    expect(rows).toEqual([{ wakes: 1_000, consumed: 1_000, votes: 1_000 }]);
  }, 300_000);
});

describe('approvals that were tampered with', () => {
  /** What somebody with the database in their hands, or the wrong wake-up, could change. Each must keep the action from running. */
  const TAMPERINGS: readonly {
    readonly name: string;
    readonly sql?: string;
    readonly parts?: () => GovernanceDeps;
    readonly scope?: Partial<CallScope>;
  }[] = [
    {
      name: 'other arguments',
      sql: `update actions set arguments = arguments || jsonb_build_object('size', $2::int + 4) where action_id = $1`,
    },
    {
      name: 'other arguments in the proposal',
      sql: `update actions set proposal = jsonb_set(proposal, '{action,arguments,name}', to_jsonb('other-' || $2::text)) where action_id = $1`,
    },
    { name: 'another hash of the request', sql: `update approvals set hash = md5($2::text) where action_id = $1` },
    { name: 'another requester', sql: `update actions set user_key = '9' where action_id = $1 and $2::int >= 0` },
    { name: 'another chat', sql: `update approvals set chat_key = 'telegram:x' || $2 where action_id = $1` },
    {
      name: 'an end before its use',
      sql: `update approvals set status = 'expired' where action_id = $1 and $2::int >= 0`,
    },
    { name: 'a use before', sql: `update approvals set status = 'consumed' where action_id = $1 and $2::int >= 0` },
    {
      name: 'a vote taken away',
      sql: `delete from approval_votes v using approvals a where v.approval_id = a.approval_id and a.action_id = $1 and $2::int >= 0`,
    },
    {
      name: 'the vote of its author',
      sql: `update approval_votes v set user_key = '1' from approvals a where v.approval_id = a.approval_id and a.action_id = $1 and $2::int >= 0`,
    },
    { name: 'another rule', sql: `update approvals set rule = 'rule-' || $2 where action_id = $1` },
    {
      name: 'fewer approvals than the rule wants',
      sql: `update approvals set needed = 3 where action_id = $1 and $2::int >= 0`,
    },
    {
      name: 'a policy that denies it now',
      parts: () => ({
        ...parts,
        policy: () => ({
          ...policy,
          decide: (question) => ({ ...policy.decide(question), effect: 'deny', approval: null, rule: 'new-rule' }),
        }),
      }),
    },
    {
      name: 'a policy that asks for more now',
      parts: () => ({
        ...parts,
        policy: () => ({
          ...policy,
          decide: (question) => {
            const before = policy.decide(question);
            return { ...before, approval: before.approval && { ...before.approval, approvals: 2 } };
          },
        }),
      }),
    },
    {
      name: 'a tool with another meaning',
      parts: () => ({
        ...parts,
        ...governanceOver(pool, [group('Erases.', { force: z.boolean().default(true) })], policy),
      }),
    },
    {
      name: 'the lane of another person',
      scope: { lane: { userKey: '9', epoch: '7' }, actor: { userKey: '9', name: 'Eve', role: 'developer' } },
    },
    { name: 'the chat of another conversation', scope: { chatKey: 'telegram:9' } },
    { name: 'a role that was taken away', scope: { actor: { userKey: '1', name: 'Ada', role: 'viewer' } } },
    { name: 'a lane that was lost', scope: { lane: { userKey: '1', epoch: '6' } } },
    {
      name: 'a freeze',
      sql: `insert into settings (key, value) select 'freeze', to_jsonb($1 || $2) on conflict do nothing`,
    },
    {
      name: 'an action that began before',
      sql: `update actions set status = 'denied' where action_id = $1 and $2::int >= 0`,
    },
  ];
  const EACH = 10_000 / TAMPERINGS.length;

  it.each(TAMPERINGS)(
    'do not run: $name',
    async ({ sql, parts: changed, scope = {} }) => {
      effects.length = 0;
      await pool.query(`delete from settings where key = 'freeze'`);
      // One real request, approved, and many like it: what differs is what they are called.
      const first = randomUUID();
      const approvalId = await request(first);
      await approve(approvalId, '2');
      const { rows } = await pool.query<{ id: string; approval: string }>(CLONE, [first, EACH]);
      let n = 0;
      await each(rows, async ({ id, approval }) => {
        n += 1;
        if (sql) await pool.query(sql, [id, String(n)]);
        const run = resumeAction(changed?.() ?? parts, { ...decided(), ...scope }, envelope(approval, id));
        const outcome = await run.catch((error: unknown) => ({ say: String(error), result: null }));
        expect(outcome.result?.ok ?? false).toBe(false);
      });
      expect(rows).toHaveLength(EACH);
      expect(effects).toEqual([]);
      // The original still works, so it was the tampering that kept the others back.
      await pool.query(`delete from settings where key = 'freeze'`);
      const { result } = await resumeAction(parts, decided(), envelope(approvalId, first));
      expect(result).toMatchObject({ ok: true });
      expect(effects).toEqual([first]);
    },
    300_000,
  );
});

/** Copies an approved action under new ids, each with its own proposal and hash untouched, as often as asked. */
const CLONE = `
  with copies as (select gen_random_uuid()::text as id, 'apv_' || replace(gen_random_uuid()::text, '-', '') as approval from generate_series(1, $2::int)),
  acted as (
    insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, proposal, hash, marks)
    select c.id, a.turn_id, a.thread_id, a.user_key, a.tool, a.arguments, a.epoch, a.status,
           jsonb_set(a.proposal, '{action,actionId}', to_jsonb(c.id)), a.hash, a.marks
      from actions a, copies c where a.action_id = $1 returning action_id),
  asked as (
    insert into approvals (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role, solo,
                           authors, card, status, expires_at, decided_at, decided_by)
    select c.approval, c.id, p.user_key, p.chat_key, p.thread_id, p.turn_id, p.trace_id, p.hash, p.rule, p.policy, p.needed, p.role, p.solo,
           p.authors, p.card, p.status, p.expires_at, p.decided_at, p.decided_by
      from approvals p, copies c where p.action_id = $1 returning approval_id, action_id),
  voted as (
    insert into approval_votes (approval_id, user_key, name)
    select a.approval_id, v.user_key, v.name from asked a, approvals p join approval_votes v on v.approval_id = p.approval_id
     where p.action_id = $1 returning 1)
  select action_id as id, approval_id as approval from asked`;
