import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

let stack: Stack;
let target: DeployTarget;
let developer: Person;
let ops: Person;

const open = async (jobs: boolean): Promise<void> => {
  stack = await openStack({ jobs, wiring: { groups: [deployGroup(target)] } });
  [developer, ops] = [await stack.person(1002, 'developer'), await stack.person(1003, 'operator')];
  await ops.ask('/whoami');
  await stack.pool.query(
    `insert into projects (name, description, owner, action_id) values ('shop', 'the web shop', '1001', 'seed')`,
  );
  await developer.ask('deploy shop 1.4.2 to staging');
  await ops.waitFor(/Deploy shop 1\.4\.2 to staging/);
};
beforeEach(async () => {
  target = await openDeployTarget();
});
afterEach(async () => {
  await stack.close();
  await target.close();
});

const post = async (path: string, body: unknown): Promise<void> => {
  const response = await fetch(`${stack.simulatorUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
};
const isParked = async (): Promise<boolean> =>
  (await stack.pool.query(`select 1 from chats where chat_key = 'telegram:1002' and parked_at is not null`))
    .rowCount === 1;

/** What the tables hold of the request: its end, its action's, and what was written down about it. */
const held = async (): Promise<unknown> => {
  const { rows } = await stack.pool.query(
    `select p.status as approval, a.status as action, p.reason,
            (select count(*)::int from audit_events e where e.kind = 'approval.voided' and e.approval_id = p.approval_id) as voided
       from approvals p join actions a on a.action_id = p.action_id`,
  );
  return rows[0];
};
const VOID = {
  approval: 'void',
  action: 'void',
  reason: 'I can no longer write to the chat where it was requested',
  voided: 1,
};

describe('an approval request whose requester blocks the bot', () => {
  it('ends when a message to the chat is answered with 403: the approvers get a receipt, and the chat gets nothing', async () => {
    await open(true);
    const refusal = { code: 403, description: 'Forbidden: bot was blocked by the user' };
    await post('/api/faults', { method: 'sendMessage', error: refusal });
    await developer.send('hello');
    await eventually(isParked, Boolean);
    await ops.waitFor(/🚫[\s\S]*No longer valid: I can no longer write to the chat where it was requested/);
    expect(await held()).toEqual(VOID);
    // The card there is left as it is: what cannot be sent is no dead letter. The answer to her message is one.
    const { rows } = await stack.pool.query('select body ->> $1 as key from dead_letters', ['key']);
    expect(rows).toHaveLength(1);
    expect(rows.map(({ key }: { key: string }) => key).join()).not.toContain('apv_');
    expect((await ops.heard()).find(({ text }) => text.includes('Deploy shop'))?.buttons).toBeNull();
    expect(target.effects).toEqual([]);
  });

  it('cannot be approved before the sweep ends it, and a repeated request afterwards is a new one', async () => {
    await open(false); // nobody watches
    await post('/api/block', { person: 1002, blocked: true });
    await eventually(isParked, Boolean);
    expect(await held()).toMatchObject({ approval: 'pending', action: 'waiting' });
    await ops.click('Approve');
    await ops.waitFor(/No longer valid/);
    expect(await held()).toEqual(VOID);
    await post('/api/block', { person: 1002, blocked: false });
    await eventually(isParked, (parked) => !parked);
    await developer.ask('deploy shop 1.4.2 to staging');
    await eventually(
      async () =>
        (await ops.heard()).filter(({ buttons }) => buttons?.flat().some(({ text }) => text === 'Approve')).length,
      (cards) => cards === 1,
    );
    await ops.click('Approve');
    await developer.waitFor(/Deployed shop 1\.4\.2 to staging/);
    expect(target.effects).toHaveLength(1);
  });
});
