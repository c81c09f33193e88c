import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

let stack: Stack;
let target: DeployTarget;
let admin: Person;
let developer: Person;
let ops: Person;
let second: Person;

beforeEach(async () => {
  target = await openDeployTarget();
  stack = await openStack({ wiring: { groups: [deployGroup(target)] } });
  admin = await stack.person(1001, 'admin');
  developer = await stack.person(1002, 'developer');
  ops = await stack.person(1003, 'operator');
  second = await stack.person(1004, 'operator');
  await admin.ask('create a project called shop for the web shop');
  await admin.send('@signalbox_bot /approvals here', { chat: 'ops' });
  await eventually(
    () => ops.heard('ops'),
    (heard) => heard.some(({ text }) => text.includes('shown here')),
  );
});
afterEach(async () => {
  await stack.close();
  await target.close();
});

const cards = async (who: Person, chat?: string): Promise<string[]> =>
  (await who.heard(chat)).map(({ text }) => text).filter((text) => text.includes('apv_'));
const cardSays = (pattern: RegExp): Promise<unknown> =>
  eventually(
    () => cards(ops, 'ops'),
    (texts) => texts.some((text) => pattern.test(text)),
  );
const audit = async (): Promise<string[]> =>
  (await stack.pool.query<{ kind: string }>('select kind from audit_events order by event_id')).rows.map(
    ({ kind }) => kind,
  );
const status = async (): Promise<string[]> =>
  (await stack.pool.query<{ status: string }>('select status from approvals order by requested_at')).rows.map(
    (row) => row.status,
  );

describe('a deploy to production', () => {
  it('takes two of the ops group and not its requester, runs once, and leaves receipts', async () => {
    const said = await developer.ask('deploy shop 1.4.2 to production');
    expect(said.join('\n')).toContain('needs approval');
    await cardSays(/Deploy shop 1\.4\.2 to production/);
    expect(target.effects).toEqual([]);

    await developer.click('Approve', 'ops');
    await eventually(audit, (kinds) => kinds.includes('approval.click_refused'));
    await ops.click('Approve', 'ops');
    await cardSays(/1 of 2/);
    expect(target.effects).toEqual([]);
    await ops.click('Approve', 'ops');
    await second.click('Approve', 'ops');
    await developer.waitFor(/Approved by .* Deployed shop 1\.4\.2 to production/);

    expect(target.effects).toEqual([{ key: expect.any(String), what: 'shop 1.4.2 production' }]);
    await cardSays(/✅[\s\S]*Approved by Cleo, Dara[\s\S]*Result: Deployed shop/);
    expect((await ops.heard('ops')).at(-1)?.buttons).toBeNull();
    expect(await status()).toEqual(['consumed']);
    expect(await audit()).toEqual(
      expect.arrayContaining([
        'action.proposed',
        'approval.requested',
        'approval.click_refused',
        'approval.voted',
        'approval.approved',
        'approval.consumed',
        'action.started',
        'action.settled',
      ]),
    );
    const { rows } = await stack.pool.query<{ actor: string; rule: string }>(
      `select actor, data ->> 'rule' as rule from audit_events where kind = 'approval.requested'`,
    );
    expect(rows).toEqual([{ actor: '1002', rule: expect.stringMatching(/production/) }]);
  });

  it('is rejected with a reason that goes back to the one who asked', async () => {
    await developer.ask('deploy shop 1.4.2 to production');
    await cardSays(/Deploy shop/);
    await ops.click('Reject', 'ops');
    await eventually(
      () => ops.heard('ops'),
      (heard) => heard.some(({ text }) => text.includes('why do you reject')),
    );
    await ops.click('Too risky', 'ops');
    await developer.waitFor(/Cleo rejected .*Too risky.*Nothing was changed/);
    expect(target.effects).toEqual([]);
    expect(await status()).toEqual(['rejected']);
  });
});
