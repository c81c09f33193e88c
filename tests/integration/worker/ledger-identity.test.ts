import { openOutside } from '@signalbox/contracts/governance/outside';
import { randomUUID } from 'node:crypto';
import { AppError } from '@signalbox/contracts/errors';
import { createLog } from '@signalbox/platform/log';
import { Approvals } from '@signalbox/governance/approvals';
import { openPool, withTransaction, type Pool } from '@signalbox/store/pool';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import { executeCall } from '@signalbox/governance/action-run';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import type { CallScope } from '@signalbox/governance/calls/call';
import { tool, toolGroup, type ToolSpec } from '@signalbox/worker/tools/tool';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { governanceOver, scopeOfAda, shippedPolicy } from '../../support/governance.ts';

const Input = z.object({ name: z.string(), force: z.boolean().optional(), note: z.string().nullish() });

let database: TestDatabase;
let pool: Pool;
let policy: PolicyEngine;
let ran: string[];
beforeAll(async () => {
  database = await createDatabase();
  policy = await shippedPolicy();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 4, as: 'owner' });
  await pool.query(
    `insert into lanes (user_key, epoch, worker, lease_until)
     values ('1', 7, 'w', now() + interval '1 hour'), ('2', 7, 'w', now() + interval '1 hour')`,
  );
  await pool.query(
    `insert into users (user_key, channel, name, role) values
       ('1', 'telegram', 'Ada', 'developer'), ('2', 'telegram', 'Gil', 'developer'), ('3', 'telegram', 'Bob', 'operator')`,
  );
  await pool.query(`insert into settings (key, value) values ('approvals_chat', '{"chatKey": "telegram:-1009"}')`);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(() => void (ran = []));

/** Tools that change, look up, are dangerous, and are an admin's; each says for whom it ran, and with what. */
function parts(): GovernanceDeps {
  const spec = (changes: Partial<ToolSpec<typeof Input, unknown>>) =>
    tool<typeof Input, unknown>({
      egress: false,
      describe: 'acts',
      hints: ['act'],
      input: Input,
      risk: 'sensitive',
      role: 'developer',
      deadlineMs: 5_000,
      replay: 'harmless',
      run: async (input, { actor }) => {
        ran.push(`${actor.userKey} ${JSON.stringify(input)}`);
        return { owner: `of ${actor.userKey}`, ...input };
      },
      phrases: { done: (_output, { name }) => `Did ${name}.` },
      ...changes,
    }).from('outside');
  const tools = {
    act: spec({}),
    act_too: spec({}),
    read: spec({ risk: 'safe', touchesPrivate: true }),
    wipe: spec({ risk: 'dangerous' }),
    rule: spec({ role: 'admin' }),
    give_nothing: spec({ run: () => Promise.resolve(null) }),
  };
  return governanceOver(pool, [toolGroup({ name: 'test', summary: 'test', uses: [], tools })], policy);
}

const gil: Partial<CallScope> = {
  lane: { userKey: '2', epoch: '7' },
  actor: { userKey: '2', name: 'Gil', role: 'developer' },
  threadId: 'user_2_1',
  chatKey: 'telegram:2',
};
const execute = (actionId: string, toolName: string, args: unknown, changes: Partial<CallScope> = {}) =>
  executeCall(parts(), scopeOfAda(changes), { actionId, tool: toolName, args, groups: ['test'] });
const events = async (actionId: string): Promise<string[]> =>
  (
    await pool.query<{ kind: string }>('select kind from audit_events where action_id = $1 order by event_id', [
      actionId,
    ])
  ).rows.map(({ kind }) => kind);

describe('an action id that is used again', () => {
  it.each<[string, string, unknown, Partial<CallScope>]>([
    ['person', 'act', { name: 'x' }, gil],
    ['conversation', 'act', { name: 'x' }, { threadId: 'user_1_2' }],
    ['turn', 'act', { name: 'x' }, { turnKey: 'telegram:100:2', turnId: 'turn_2' }],
    ['tool', 'act_too', { name: 'x' }, {}],
    ['argument', 'act', { name: 'y' }, {}],
    ['set of arguments', 'act', { name: 'x', force: false }, {}],
    ['look-up', 'read', { name: 'x' }, {}],
    ['request for approval', 'wipe', { name: 'x' }, {}],
    ['refusal', 'rule', { name: 'x' }, {}],
  ])('by another %s has no effect, returns no result, is audited and ends the turn', async (_, name, args, changes) => {
    const actionId = randomUUID();
    await execute(actionId, 'act', { name: 'x' });
    const before = await pool.query('select * from actions where action_id = $1', [actionId]);
    await expect(execute(actionId, name, args, changes)).rejects.toMatchObject({
      code: 'ACTION_ID_TAKEN',
      remedy: 'tell-user',
    });
    expect(ran.filter((line) => line.startsWith('1 '))).toHaveLength(name === 'read' ? 2 : 1);
    expect((await pool.query('select * from actions where action_id = $1', [actionId])).rows).toEqual(before.rows);
    expect((await pool.query('select 1 from approvals where action_id = $1', [actionId])).rowCount).toBe(0);
    expect(await events(actionId)).toEqual(['action.decided', 'action.started', 'action.settled', 'action.refused']);
  });

  it('keeps the privacy marks of the earlier result, and refuses other arguments', async () => {
    const actionId = randomUUID();
    await execute(actionId, 'read', { name: 'x' });
    await execute(actionId, 'read', { name: 'x' }, { turnId: 'turn_2' });
    const { rows } = await pool.query('select marks, status from actions where action_id = $1', [actionId]);
    expect(rows).toEqual([{ marks: ['private'], status: 'done' }]);
    await expect(execute(actionId, 'read', { name: 'y' })).rejects.toMatchObject({ code: 'ACTION_ID_TAKEN' });
  });

  it('for the same action returns the earlier result, even an empty one', async () => {
    const actionId = randomUUID();
    const first = await execute(actionId, 'give_nothing', { name: 'x' });
    const again = await execute(actionId, 'give_nothing', { name: 'x' }, { turnId: 'turn_2' });
    expect(first).toMatchObject({ ok: true, result: null });
    expect({ ...again, decided: first.decided }).toEqual(first);
  });

  it('gives no grant when the stored action was changed', async () => {
    const actionId = randomUUID();
    await execute(actionId, 'wipe', { name: 'harmless' });
    await pool.query(
      `update actions set arguments = '{"name": "everything"}', hash = 'other',
              proposal = jsonb_set(proposal, '{action,arguments,name}', '"everything"') where action_id = $1`,
      [actionId],
    );
    await press(actionId, 'grant');
    expect((await pool.query('select 1 from grants')).rowCount).toBe(0);
  });

  it('leaves every action with one row and its events, whatever calls a model makes', async () => {
    const one = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      isGil: fc.boolean(),
      tool: fc.constantFrom('act', 'act_too', 'read', 'rule', 'give_nothing'),
      name: fc.constantFrom('x', 'y'),
      turnKey: fc.constantFrom('telegram:100:1', 'telegram:100:2'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 2, maxLength: 8 }), async (calls) => {
        ran = [];
        const run = randomUUID();
        for (const { id, isGil, tool: name, name: value, turnKey } of calls) {
          const before = ran.length;
          const who = isGil ? '2' : '1';
          const changes = { ...(isGil ? gil : {}), turnKey };
          const taken = (thrown: unknown): 'taken' | null => {
            if (thrown instanceof AppError && thrown.code === 'ACTION_ID_TAKEN') return 'taken';
            throw thrown;
          };
          const result = await execute(`${run}_${id}`, name, { name: value }, changes).catch(taken);
          const { ok, result: given } = result === 'taken' || result === null ? { ok: false, result: null } : result;
          expect(result === 'taken' && name !== 'read' ? ran.length : before).toBe(before);
          const own = { owner: `of ${who}`, name: value };
          expect(ok && name !== 'give_nothing' ? openOutside(given) : own).toEqual(own);
        }
        const { rows } = await pool.query<{ started: string; decided: string; effects: string }>(
          `select count(*) filter (where e.kind = 'action.started') as started,
                  count(*) filter (where e.kind = 'action.decided') as decided,
                  (select count(*) from actions a where a.action_id like $1 and a.tool in ('act', 'act_too') and a.status = 'done') as effects
             from audit_events e where e.action_id like $1 and e.data ->> 'tool' in ('act', 'act_too')`,
          [`${run}_%`],
        );
        const effects = rows[0]?.effects;
        expect(rows).toEqual([{ started: effects, decided: effects, effects }]);
      }),
      { numRuns: 40 },
    );
  });
});

async function press(actionId: string, verb: 'approve' | 'grant'): Promise<void> {
  const { rows } = await pool.query<{ id: string }>('select approval_id as id from approvals where action_id = $1', [
    actionId,
  ]);
  const by = { userKey: '3', name: 'Bob', role: 'operator' } as const;
  await withTransaction(pool, (db) => new Approvals(db).decide(policy, { approvalId: rows[0]?.id ?? '', verb, by }));
}

describe('a grant for repeated calls', () => {
  const GIVEN = { name: 'x', note: 'n' };
  const near = (args: Record<string, unknown>, changes: Partial<CallScope> = {}) =>
    execute(randomUUID(), 'wipe', args, changes);
  beforeEach(async () => {
    await pool.query(`update approvals set status = 'void' where status = 'pending'`);
    await pool.query('delete from grants');
    const actionId = randomUUID();
    await execute(actionId, 'wipe', GIVEN);
    await press(actionId, 'grant');
    const { rowCount } = await pool.query('select 1 from grants');
    if (rowCount !== 1) throw new Error(`there are ${rowCount} grants`);
  });
  const usesLeft = async (): Promise<unknown> => (await pool.query('select uses_left from grants')).rows;

  it('runs a call with the same arguments without an approval card', async () => {
    expect(await near({ note: 'n', name: 'x' })).toMatchObject({ ok: true, changed: true });
    expect(await usesLeft()).toEqual([{ uses_left: 2 }]);
  });

  it.each<[string, Partial<CallScope>]>([
    ['by somebody else', gil],
    ['in another chat', { chatKey: 'telegram:-100200' }],
    ['by another agent', { agent: { id: 'other', class: 'CONTROL_PLANE' } }],
  ])('is not used for the same call %s', async (_, changes) => {
    expect(await near(GIVEN, changes)).not.toMatchObject({ changed: true });
    expect(await usesLeft()).toEqual([{ uses_left: 3 }]);
    expect(ran).toEqual([]);
  });

  it('is not used for other arguments, including fewer or additional ones', async () => {
    const args = fc
      .record(
        {
          name: fc.oneof(fc.constantFrom('x', 'X', 'x ', 'y'), fc.string()),
          note: fc.option(fc.oneof(fc.constantFrom('n', '', 'N'), fc.string())),
          force: fc.boolean(),
        },
        { requiredKeys: ['name'] },
      )
      .filter((one) => !(one.name === 'x' && one.note === 'n' && !('force' in one)));
    await fc.assert(
      fc.asyncProperty(args, async (one) => {
        expect(await near(one)).not.toMatchObject({ changed: true });
      }),
      { numRuns: 60, examples: [[{ name: 'x' }], [{ ...GIVEN, force: true }], [{ ...GIVEN, force: false }]] },
    );
    expect(await usesLeft()).toEqual([{ uses_left: 3 }]);
    expect(ran).toEqual([]);
  });
});
