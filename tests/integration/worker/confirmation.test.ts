import { randomUUID } from 'node:crypto';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import { Approvals, type PressResult, type ButtonPress } from '@signalbox/governance/approvals';
import { putFreeze } from '@signalbox/store/governance/freezes';
import { openPool, withTransaction, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { createEngine } from '@signalbox/safety/policy/engine';
import { readPolicyFolder } from '@signalbox/safety/policy/policy-set';
import { readRules } from '@signalbox/safety/policy/rules';
import { POLICY_FOLDER } from '@signalbox/safety/policy/settings';
import { resumeAction, type DecisionEnvelope, type ResumeResult } from '@signalbox/governance/resume-decision';
import { executeCall } from '@signalbox/governance/action-run';
import { createPhaseMachine } from '@signalbox/worker/loop/fsm';
import type { ToolCallResult } from '@signalbox/governance/calls/call';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { governanceOver, scopeOfAda } from '../../support/governance.ts';

let database: TestDatabase;
let pool: Pool;
let effects: string[];
/** The shipped rules, and one that has every small change confirmed. */
let policy: PolicyEngine;

const group = toolGroup({
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
      replay: 'unknown',
      run: ({ name }) => {
        effects.push(name);
        return Promise.resolve({});
      },
      phrases: { done: () => 'Did it.' },
    }).from('outside'),
  },
});

beforeAll(async () => {
  const { files } = await readPolicyFolder(POLICY_FOLDER);
  const always =
    '@id("always") @reason("A.") permit (principal is User, action == Action::"confirm", resource) when { resource.risk == Risk::"sensitive" };';
  const all = [...files, { name: 'always.cedar', text: always }];
  policy = createEngine(readRules(all, 'with always'), 'with always', 'UTC');
});
beforeEach(async () => {
  effects = [];
  database = await createDatabase();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 6, as: 'owner' });
  await pool.query(
    `insert into lanes (user_key, epoch, worker, lease_until) values ('1', 7, 'w', now() + interval '1 hour')`,
  );
  await pool.query(
    `insert into users (user_key, channel, name, role) values
       ('1', 'telegram', 'Ada', 'developer'), ('2', 'telegram', 'Bob', 'admin')`,
  );
  await pool.query(`insert into settings (key, value) values ('approvals_chat', '{"chatKey": "telegram:-1009"}')`);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

const parts = () => governanceOver(pool, [group], policy);
const ask = (name = 'x'): Promise<ToolCallResult> =>
  executeCall(parts(), scopeOfAda(), { actionId: randomUUID(), tool: 'act', args: { name }, groups: ['test'] });
const FREEZE = { by: '2', name: 'Bob', reason: '', until: null, zone: 'UTC' };
const ADA = { userKey: '1', name: 'Ada', role: 'developer' } as const;
const BOB = { userKey: '2', name: 'Bob', role: 'admin' } as const;
async function press(verb: ButtonPress['verb'], by: typeof ADA | typeof BOB = ADA): Promise<PressResult> {
  const { rows } = await pool.query<{ id: string }>('select approval_id as id from approvals');
  return withTransaction(pool, (db) => new Approvals(db).decide(policy, { approvalId: rows[0]?.id ?? '', verb, by }));
}
async function resume(): Promise<ResumeResult> {
  const { rows } = await pool.query<{ envelope: DecisionEnvelope }>(
    `select envelope from inbox where kind = 'decision'`,
  );
  const [{ envelope }] = rows as [{ envelope: DecisionEnvelope }];
  return resumeAction(parts(), scopeOfAda({ enter: createPhaseMachine().to }), envelope);
}

describe('a call that its requester has to confirm', () => {
  it('waits on a card in the chat of the request, and in no other chat', async () => {
    const result = await ask();
    expect(result).toMatchObject({ ok: true, result: { status: 'waits', so_far: 0 }, changed: false });
    expect(effects).toEqual([]);
    const { rows } = await pool.query<{ chat: string; labels: string[] }>(
      `select chat_key as chat, array(select b ->> 'label' from jsonb_array_elements(body -> 'buttons') b) as labels from outbox`,
    );
    expect(rows).toEqual([{ chat: 'telegram:1', labels: ['Confirm', 'Cancel'] }]);
    const { rows: watch } = await pool.query('select remind_at, escalate_at from approvals');
    expect(watch).toEqual([{ remind_at: null, escalate_at: null }]);
  });

  it('runs once, after one tap on Confirm by its requester', async () => {
    await ask('once');
    expect(await press('approve')).toMatchObject({ toast: 'Confirmed. It runs now.' });
    expect(await resume()).toMatchObject({ say: expect.stringMatching(/^Confirmed by Ada/), result: { ok: true } });
    await resume();
    expect(effects).toEqual(['once']);
    expect((await press('approve')).toast).toMatch(/^Confirmed.* Did it\./);
  });

  it('asks its requester, not an approver, to be sure of what cannot be undone', async () => {
    await ask();
    const { rows } = await pool.query(`select card ->> 'undo' as undo from approvals`);
    expect(rows).toEqual([{ undo: 'not known; confirm only what you meant' }]);
  });

  it('cannot be confirmed by anybody else, whatever their role', async () => {
    await ask();
    expect((await press('approve', BOB)).toast).toBe('Only the person who asked can confirm it.');
    expect((await press('withdraw', BOB)).toast).toContain('Only the person who asked');
    for (const verb of ['grant', 'modify', 'ask', 'reject'] as const)
      expect((await press(verb)).toast).toBe('Only the person who asked can confirm it.');
    const { rows } = await pool.query(`select 1 from approvals where status = 'pending'`);
    expect(rows).toHaveLength(1);
    const { rows: refused } = await pool.query(`select 1 from audit_events where kind = 'approval.click_refused'`);
    expect(refused).toHaveLength(6);
  });

  it('does not run when the stored vote is of another person', async () => {
    await ask();
    await press('approve');
    await pool.query(`update approval_votes set user_key = '2'`);
    expect((await resume()).result).toMatchObject({ ok: false, code: 'APPROVAL_VOID' });
    expect(effects).toEqual([]);
  });

  it('cannot be confirmed during a freeze, and is void when a freeze starts after the tap', async () => {
    await ask();
    await putFreeze(pool, { ...FREEZE, at: new Date().toISOString() });
    expect((await press('approve')).toast).toContain('Changes are frozen');
    await pool.query(`delete from settings where key = 'freeze'`);
    await press('approve');
    await putFreeze(pool, { ...FREEZE, at: new Date().toISOString() });
    expect((await resume()).result).toMatchObject({ ok: false, code: 'APPROVAL_VOID' });
    expect(effects).toEqual([]);
  });

  it('is void after a tap on Cancel, and a repeated request gets one new card', async () => {
    const first = await ask('same');
    const { request } = first.result as { request: string }; // a waiting result names its request
    expect((await ask('same')).result).toMatchObject({ status: 'waits', request });
    expect(await press('withdraw')).toMatchObject({ wake: null });
    const { rows } = await pool.query('select status from approvals');
    expect(rows).toEqual([{ status: 'void' }]);
    expect((await press('approve')).toast).toBe('No longer valid: withdrawn. Nothing was changed.');
  });
});
