import { randomUUID } from 'node:crypto';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import { settleAction } from '@signalbox/store/governance/actions';
import { Approvals } from '@signalbox/governance/approvals';
import { openPool, withTransaction, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { resumeAction } from '@signalbox/governance/resume-decision';
import { executeCall } from '@signalbox/governance/action-run';
import { createPhaseMachine } from '@signalbox/worker/loop/fsm';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import type { CallScope } from '@signalbox/governance/calls/call';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { governanceOver, scopeOfAda, shippedPolicy } from '../../support/governance.ts';

// What happens and its audit event are there together, or neither is: here the database refuses events of one kind.
describe('an action whose audit event cannot be written', () => {
  let database: TestDatabase;
  let pool: Pool;
  let policy: PolicyEngine;
  let effects: number;
  let during: () => Promise<void>;

  beforeAll(async () => {
    database = await createDatabase();
    pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 10, as: 'owner' });
    policy = await shippedPolicy();
    await pool.query(
      `insert into lanes (user_key, epoch, worker, lease_until) values ('1', 7, 'w', now() + interval '1 hour')`,
    );
    await pool.query(
      `insert into users (user_key, channel, name, role) values ('1', 'telegram', 'Ada', 'developer'), ('2', 'telegram', 'Bob', 'operator')`,
    );
    await pool.query(`insert into settings (key, value) values ('approvals_chat', '{"chatKey": "telegram:-1009"}')`);
    await pool.query(`
      create table refused (kind text);
      create function refuse_event() returns trigger language plpgsql as $$
      begin
        if exists (select from public.refused where kind = new.kind) then raise exception 'refused %', new.kind; end if;
        return new;
      end $$;
      create trigger refuse before insert on audit_events for each row execute function refuse_event();
      create function refuse_commit() returns trigger language plpgsql as $$
      begin
        if exists (select from public.refused where kind = 'commit') then raise exception 'refused at the end'; end if;
        return null;
      end $$;
      create constraint trigger refuse_late after insert or update on actions deferrable initially deferred
        for each row execute function refuse_commit();`);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    [effects, during] = [0, () => Promise.resolve()];
    await pool.query('delete from refused');
  });

  const parts = (risk: 'sensitive' | 'dangerous', role: 'developer' | 'admin' = 'developer'): GovernanceDeps =>
    governanceOver(
      pool,
      [
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
              egress: false,
              role,
              deadlineMs: 30_000,
              replay: 'unknown',
              run: async () => {
                effects += 1;
                await during();
                return { did: true };
              },
              phrases: { done: () => 'Did it.' },
            }).from('outside'),
          },
        }),
      ],
      policy,
    );
  const callOf = (actionId: string) => ({ actionId, tool: 'act', args: { name: actionId }, groups: ['test'] });
  const refuse = (kind: string): Promise<unknown> => pool.query('insert into refused values ($1)', [kind]);
  const found = async (actionId: string): Promise<unknown> =>
    (
      await pool.query(
        `select (select status from actions where action_id = $1) as action,
                (select status from approvals where action_id = $1) as approval,
                (select coalesce(array_agg(kind order by event_id), '{}') from audit_events where action_id = $1) as events`,
        [actionId],
      )
    ).rows[0];
  const resumed = (): CallScope => scopeOfAda({ enter: createPhaseMachine().to });
  type Envelope = Parameters<typeof resumeAction>[2];
  const approved = async (actionId: string): Promise<Envelope> => {
    await executeCall(parts('dangerous'), scopeOfAda(), callOf(actionId));
    const { rows } = await pool.query<{ id: string }>('select approval_id as id from approvals where action_id = $1', [
      actionId,
    ]);
    const press = { approvalId: rows[0]?.id ?? '', verb: 'approve' } as const;
    const by = { userKey: '2', name: 'Bob', role: 'operator' } as const;
    await withTransaction(pool, (db) => new Approvals(db).decide(policy, { ...press, by }));
    const { rows: woken } = await pool.query<{ envelope: Envelope }>(
      `select envelope from inbox where kind = 'decision' and envelope ->> 'approvalId' = $1`,
      [press.approvalId],
    );
    return (woken[0] as { envelope: Envelope }).envelope; // decideApproval has put it there
  };

  it.each(['action.decided', 'action.started'])('has no effect without its event %s', async (kind) => {
    const actionId = randomUUID();
    await refuse(kind);
    await expect(executeCall(parts('sensitive'), scopeOfAda(), callOf(actionId))).rejects.toThrow('refused');
    expect(effects).toBe(0);
    expect(await found(actionId)).toEqual({ action: null, approval: null, events: [] });
  });

  it('stays unsettled without its event action.settled, and its outcome becomes unknown', async () => {
    const actionId = randomUUID();
    await refuse('action.settled');
    await expect(executeCall(parts('sensitive'), scopeOfAda(), callOf(actionId))).rejects.toThrow('refused');
    const events = ['action.decided', 'action.started'];
    expect(await found(actionId)).toEqual({ action: 'started', approval: null, events });
    await pool.query('delete from refused');
    const again = await executeCall(parts('sensitive'), scopeOfAda(), callOf(actionId));
    expect(again.code).toBe('TOOL_OUTCOME_UNKNOWN');
    expect(effects).toBe(1);
    expect(await found(actionId)).toMatchObject({ action: 'unknown', events: [...events, 'action.unknown'] });
  });

  it('is not denied without its event action.denied', async () => {
    const actionId = randomUUID();
    await refuse('action.denied');
    const denied = executeCall(parts('sensitive', 'admin'), scopeOfAda(), callOf(actionId));
    await expect(denied).rejects.toThrow('refused');
    expect(await found(actionId)).toEqual({ action: null, approval: null, events: [] });
  });

  it.each(['action.proposed', 'approval.requested'])('gets no approval request without its event %s', async (kind) => {
    const actionId = randomUUID();
    await refuse(kind);
    await expect(executeCall(parts('dangerous'), scopeOfAda(), callOf(actionId))).rejects.toThrow('refused');
    expect(await found(actionId)).toEqual({ action: null, approval: null, events: [] });
  });

  it.each(['approval.consumed', 'action.started'])(
    'does not use up its approval without the event %s',
    async (kind) => {
      const actionId = randomUUID();
      const envelope = await approved(actionId);
      const before = await found(actionId);
      await refuse(kind);
      await expect(resumeAction(parts('dangerous'), resumed(), envelope)).rejects.toThrow('refused');
      expect(effects).toBe(0);
      expect(await found(actionId)).toEqual(before);
      await pool.query('delete from refused');
      expect((await resumeAction(parts('dangerous'), resumed(), envelope)).say).toContain('Did it.');
      expect(effects).toBe(1);
      expect(await found(actionId)).toMatchObject({ action: 'done', approval: 'consumed' });
    },
  );

  it.each([
    ['begun', 'sensitive', 'developer'],
    ['denied', 'sensitive', 'admin'],
    ['asked about', 'dangerous', 'developer'],
  ] as const)('leaves no event behind when it could not be %s because the commit failed', async (_what, risk, role) => {
    const actionId = randomUUID();
    await refuse('commit');
    await expect(executeCall(parts(risk, role), scopeOfAda(), callOf(actionId))).rejects.toThrow('refused at the end');
    expect(effects).toBe(0);
    expect(await found(actionId)).toEqual({ action: null, approval: null, events: [] });
  });

  it('leaves no event behind when its approval could not be used up because the commit failed', async () => {
    const actionId = randomUUID();
    const envelope = await approved(actionId);
    const before = await found(actionId);
    await refuse('commit');
    await expect(resumeAction(parts('dangerous'), resumed(), envelope)).rejects.toThrow('refused at the end');
    expect(effects).toBe(0);
    expect(await found(actionId)).toEqual(before);
  });

  it('keeps its first recorded result when its handler ends later', async () => {
    const actionId = randomUUID();
    const result = { ok: false, result: null, say: 'gone', code: 'TOOL_OUTCOME_UNKNOWN', changed: false };
    during = () =>
      settleAction(pool, actionId, { status: 'unknown', result, errorCode: 'TOOL_OUTCOME_UNKNOWN', events: [] });
    await executeCall(parts('sensitive'), scopeOfAda(), callOf(actionId));
    expect(await found(actionId)).toMatchObject({ action: 'unknown', events: ['action.decided', 'action.started'] });
    const { rows } = await pool.query('select result, error_code from actions where action_id = $1', [actionId]);
    expect(rows).toEqual([{ result, error_code: 'TOOL_OUTCOME_UNKNOWN' }]);
  });
});
