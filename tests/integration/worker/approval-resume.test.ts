import { randomUUID } from 'node:crypto';
import { Approvals } from '@signalbox/governance/approvals';
import { openPool, withTransaction, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { resumeAction, type DecisionEnvelope, type ResumeResult } from '@signalbox/governance/resume-decision';
import { executeCall } from '@signalbox/governance/action-run';
import { createPhaseMachine } from '@signalbox/worker/loop/fsm';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { tool, toolGroup, type ToolGroup } from '@signalbox/worker/tools/tool';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { governanceOver, scopeOfAda, shippedPolicy } from '../../support/governance.ts';

const group = (run: () => Promise<object>): ToolGroup =>
  toolGroup({
    name: 'test',
    summary: 'test',
    uses: [],
    tools: {
      act: tool({
        describe: 'acts',
        hints: ['act'],
        input: z.object({}),
        risk: 'dangerous',
        role: 'developer',
        egress: false,
        deadlineMs: 5_000,
        replay: 'unknown',
        run,
        phrases: { done: () => 'Did it.' },
      }).from('outside'),
    },
  });

let database: TestDatabase;
let pool: Pool;
let effects: number;
let actionId: string;
beforeEach(async () => {
  [effects, actionId] = [0, randomUUID()];
  database = await createDatabase();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 6, as: 'owner' });
  await pool.query(
    `insert into lanes (user_key, epoch, worker, lease_until) values ('1', 7, 'w', now() + interval '1 hour')`,
  );
  await pool.query(
    `insert into users (user_key, channel, name, role) values
       ('1', 'telegram', 'Ada', 'developer'), ('2', 'telegram', 'Bob', 'operator')`,
  );
  await pool.query(`insert into settings (key, value) values ('approvals_chat', '{"chatKey": "telegram:-1009"}')`);
  const call = { actionId, tool: 'act', args: {}, groups: ['test'] };
  await executeCall(await partsOf([group(acts)]), scopeOfAda(), call);
  const by = { userKey: '2', name: 'Bob', role: 'operator' } as const;
  const policy = await shippedPolicy();
  const { rows } = await pool.query<{ id: string }>('select approval_id as id from approvals');
  await withTransaction(pool, (db) =>
    new Approvals(db).decide(policy, { approvalId: rows[0]?.id ?? '', verb: 'approve', by }),
  );
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

const acts = (): Promise<object> => {
  effects += 1;
  return Promise.resolve({});
};
const partsOf = async (groups: readonly ToolGroup[], changes: Partial<GovernanceDeps> = {}): Promise<GovernanceDeps> =>
  governanceOver(pool, groups, await shippedPolicy(), changes);
/** One run of the turn that hears of the decision. */
async function resume(parts: GovernanceDeps, signal?: AbortSignal): Promise<ResumeResult> {
  const { rows } = await pool.query<{ envelope: DecisionEnvelope }>(
    `select envelope from inbox where kind = 'decision'`,
  );
  const [{ envelope }] = rows as [{ envelope: DecisionEnvelope }];
  return resumeAction(parts, scopeOfAda({ enter: createPhaseMachine().to, ...(signal ? { signal } : {}) }), envelope);
}
/** A run whose worker goes away in the middle of the effect. */
async function die(): Promise<void> {
  const turn = new AbortController();
  const gone = group(() => {
    effects += 1;
    turn.abort(new Error('the worker is gone'));
    return new Promise(() => undefined);
  });
  await expect(resume(await partsOf([gone]), turn.signal)).rejects.toThrow('the worker is gone');
}
const actionStatus = async (): Promise<unknown> =>
  (await pool.query<{ status: string }>('select status from actions')).rows.map(({ status }) => status);

describe('a turn that resumes an approved action after a crash', () => {
  it('reports the same decision that used up the approval in the first run', async () => {
    await die();
    const { rows } = await pool.query<{ used: object }>('select used from approvals');
    const { decided, result } = await resume(await partsOf([group(acts)]));
    expect(result?.code).toBe('TOOL_OUTCOME_UNKNOWN');
    expect(decided).toEqual(rows[0]?.used);
    expect(decided).toMatchObject({ action: { actionId }, decision: { effect: 'ask' }, taint: null });
    // A third run has the stored end, and the same decision.
    expect((await resume(await partsOf([group(acts)]))).decided).toEqual(decided);
    expect(effects).toBe(1);
  });

  it('settles the action as unknown when its tool is no longer installed', async () => {
    await die();
    const first = await resume(await partsOf([]));
    expect(first.result).toMatchObject({ ok: false, code: 'TOOL_OUTCOME_UNKNOWN' });
    expect(first.say).toContain('cannot tell whether it took effect');
    expect(await actionStatus()).toEqual(['unknown']);
    expect(await resume(await partsOf([]))).toMatchObject({ say: first.say, decided: first.decided });
    const { rows } = await pool.query(`select 1 from audit_events where kind = 'action.unknown'`);
    expect(rows).toHaveLength(1);
  });

  it('gives the same reason again why the approval is void, with the same decision', async () => {
    const policy = await shippedPolicy();
    const denies = await partsOf([group(acts)], {
      policy: () => ({
        ...policy,
        decide: (question) => ({
          ...policy.decide(question),
          effect: 'deny',
          approval: null,
          rule: 'closed',
          sentence: 'It is closed today.',
        }),
      }),
    });
    const first = await resume(denies);
    expect(first.say).toContain('It is closed today');
    expect(first.decided?.decision.rule).toBe('closed');
    // What is stored is what is told, whatever policy says by now.
    expect(await resume(await partsOf([group(acts)]))).toEqual({
      ...first,
      decided: JSON.parse(JSON.stringify(first.decided)),
    });
    expect(await actionStatus()).toEqual(['void']);
    expect(effects).toBe(0);
  });
});

describe('an approval that no longer matches its action', () => {
  // Each a thousand times, and more of them, in tests/endurance/approvals.test.ts.
  it.each([
    ['other arguments', `update actions set arguments = '{"size": 4}'`, 'the action is not the one that was approved'],
    [
      'other arguments in the proposal',
      `update actions set proposal = jsonb_set(proposal, '{action,arguments}', '{"size": 4}')`,
      'the action is not the one that was approved',
    ],
    ['another hash', `update approvals set hash = md5('x')`, 'the action is not the one that was approved'],
    ['another requester', `update actions set user_key = '9'`, 'the action is not the one that was approved'],
    ['another chat', `update approvals set chat_key = 'telegram:9'`, 'the action is not the one that was approved'],
    ['no vote', 'delete from approval_votes', 'it has not been approved by enough people'],
    ['the vote of who asked', `update approval_votes set user_key = '1'`, 'it has not been approved by enough people'],
    ['fewer votes than it takes', 'update approvals set needed = 2', 'it has not been approved by enough people'],
    ['another rule', `update approvals set rule = 'other'`, 'rule dangerous-asks decides about it now'],
  ])('runs nothing when it has %s', async (_what, sql, reason) => {
    await pool.query(sql);
    const { say, result } = await resume(await partsOf([group(acts)]));
    expect(result?.code).toBe('APPROVAL_VOID');
    expect(say).toContain(reason);
    expect(effects).toBe(0);
  });

  it('runs nothing for a requester whose role was removed in the meantime', async () => {
    const { rows } = await pool.query<{ envelope: DecisionEnvelope }>(
      `select envelope from inbox where kind = 'decision'`,
    );
    const actor = { userKey: '1', name: 'Ada', role: 'viewer' } as const;
    const [{ envelope }] = rows as [{ envelope: DecisionEnvelope }];
    const { say } = await resumeAction(
      await partsOf([group(acts)]),
      scopeOfAda({ actor, enter: createPhaseMachine().to }),
      envelope,
    );
    expect(say).toContain('the person who asked is no longer allowed to do it');
    expect(effects).toBe(0);
  });
});
