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

/** A deployment waits, and the operator who rejects it is asked why. */
const askedForReason = async (): Promise<void> => {
  await developer.ask('deploy shop 1.4.2 to production');
  await cardSays(/Deploy shop/);
  await ops.click('Reject', 'ops');
  await eventually(
    () => ops.heard('ops'),
    (heard) => heard.some(({ text }) => text.includes('why do you reject')),
  );
};

describe('a deploy to production', () => {
  it('needs two approvers of the ops group other than its requester, runs once, and leaves receipts', async () => {
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
    await cardSays(
      /✅[\s\S]*Approved by Cleo \(operator, id 1003\), Dara \(operator, id 1004\)[\s\S]*Result: Deployed shop/,
    );
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

  it('is rejected with a reason that the requester reads', async () => {
    await askedForReason();
    await ops.click('Too risky', 'ops');
    await developer.waitFor(/Cleo \(operator, id 1003\) rejected .*Too risky.*Nothing was changed/);
    expect(target.effects).toEqual([]);
    expect(await status()).toEqual(['rejected']);
    // The reason is another person's words, and the model reads them.
    const { rows } = await stack.pool.query(
      `select 1 from thread_taints t join approvals a on a.thread_id = t.thread_id where a.status = 'rejected'`,
    );
    expect(rows).toHaveLength(1);
  });
});

describe('an answer that a person was asked to write', () => {
  it('is the person’s next plain message, and the message after that goes to the agent', async () => {
    await askedForReason();
    await ops.send('@signalbox_bot the migration is not in it', { chat: 'ops' });
    await developer.waitFor(/rejected .*the migration is not in it/);
    expect(await status()).toEqual(['rejected']);
    const { rows } = await stack.pool.query(`select 1 from approval_prompts where used_at is null`);
    expect(rows).toEqual([]);
    // What was refused is found again by the one who asked.
    await developer.send('/approvals');
    await developer.waitFor(
      /Nothing waits.*Not approved in the last week:.*Deploy shop.*rejected \(the migration is not in it\)/s,
    );
  });
});

describe('a pending approval', () => {
  const asked = async (environment = 'staging'): Promise<void> => {
    await developer.ask(`deploy shop 1.4.2 to ${environment}`);
    await cardSays(new RegExp(`Deploy shop 1\\.4\\.2 to ${environment}`));
  };

  it('is decided again after a reply changes it, and cannot be approved by the person who changed it', async () => {
    await asked();
    await ops.click('Modify', 'ops');
    const [question] = await eventually(
      async () => (await ops.heard('ops')).filter(({ text }) => text.includes('what should be different')),
      (found) => found.length > 0,
    );
    await ops.send('version: 1.4.3', { chat: 'ops', replyTo: question?.messageId ?? 0 });
    await cardSays(/Deploy shop 1\.4\.3 to staging/);
    await ops.click('Approve', 'ops');
    await eventually(audit, (kinds) => kinds.includes('approval.click_refused'));
    await second.click('Approve', 'ops');
    await developer.waitFor(/Deployed shop 1\.4\.3 to staging/);
    expect(target.effects.map(({ what }) => what)).toEqual(['shop 1.4.3 staging']);
    expect(await status()).toEqual(['modified', 'consumed']);
    const { rows } = await stack.pool.query(`select 1 from actions where parent_action_id is not null`);
    expect(rows).toHaveLength(1);
  });

  it('shows the approver’s name as written, without symbols that Signalbox itself uses', async () => {
    await fetch(`${stack.simulatorUrl}/api/people`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 1007, name: 'Jo_Ann *', inGroup: true }),
    });
    const third = await stack.person(1007, 'operator');
    await developer.ask('deploy shop 1.4.2 to production');
    await cardSays(/Deploy shop/);
    await third.click('Approve', 'ops');
    await cardSays(/Approved by Jo_Ann \* \(operator, id 1007\): 1 of 2/);
    await ops.click('Approve', 'ops');
    await developer.waitFor(/Approved by Jo_Ann \* and Cleo/);
    expect((await developer.ask('/why')).join('\n')).toContain('by Jo_Ann *, Cleo');
  });

  it('can be questioned: the question reaches the requester, and the answer comes back', async () => {
    await asked();
    await ops.click('Ask a question', 'ops');
    const [prompt] = await eventually(
      async () => (await ops.heard('ops')).filter(({ text }) => text.includes('with your question')),
      (found) => found.length > 0,
    );
    await ops.send('is the migration in it?', { chat: 'ops', replyTo: prompt?.messageId ?? 0 });
    await developer.waitFor(/Cleo asks about[\s\S]*is the migration in it\?/);
    const question = (await developer.heard()).find(({ text }) => text.includes('is the migration in it?'));
    await developer.send('yes, and it is reversible', { replyTo: question?.messageId ?? 0 });
    await eventually(
      () => ops.heard('ops'),
      (heard) => heard.some(({ text }) => /Ben answers about[\s\S]*it is reversible/.test(text)),
    );
    expect(await status()).toEqual(['pending']);
    expect(await audit()).toEqual(expect.arrayContaining(['approval.asked', 'approval.answered']));
  });

  it('survives a restart of every service, and a new process runs the approved action', async () => {
    await asked();
    await stack.stop();
    await ops.click('Approve', 'ops');
    await stack.start();
    await developer.waitFor(/Approved by Cleo\. Deployed shop 1\.4\.2 to staging/);
    expect(target.effects).toHaveLength(1);
  });

  it('starts one effect when two people approve at the same moment', async () => {
    await asked();
    await Promise.all([ops.click('Approve', 'ops'), second.click('Approve', 'ops')]);
    await developer.waitFor(/Deployed shop/);
    await cardSays(/Result: Deployed/);
    expect(target.effects).toHaveLength(1);
  });

  it('is not decided by button data that comes from another chat or another message', async () => {
    await asked();
    // People see a card a moment before its receipt is stored.
    const rows = await eventually(
      async () =>
        (
          await stack.pool.query<{ id: string; message: string }>(
            `select id::text, receipt -> 'messageIds' ->> 0 as message from outbox
              where slot like 'apv_%' and status = 'sent' and chat_key like '%:-%'`,
          )
        ).rows,
      (sent) => sent.length > 0,
    );
    const [card] = rows;
    const press = async (chat: Record<string, unknown>, messageId: number): Promise<void> => {
      const update = {
        callback_query: {
          id: `${Math.random()}`,
          from: { id: 1003, is_bot: false, first_name: 'Cleo' },
          chat_instance: '1',
          data: `b:${card?.id}:0`,
          message: { message_id: messageId, date: 1, chat },
        },
      };
      const response = await fetch(`${stack.simulatorUrl}/api/updates`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ update }),
      });
      expect(response.ok).toBe(true);
    };
    await press({ id: 1003, type: 'private', first_name: 'Cleo' }, Number(card?.message));
    await press({ id: -1009999999999, type: 'supergroup', title: 'elsewhere' }, Number(card?.message));
    await eventually(audit, (kinds) => kinds.filter((kind) => kind === 'approval.click_refused').length === 2);
    expect(await status()).toEqual(['pending']);
    expect(target.effects).toEqual([]);
  });

  it('expires on every card when nobody decides, and a late press does not revive it', async () => {
    await stack.close();
    stack = await openStack({ jobs: true, wiring: { groups: [deployGroup(target)] } });
    developer = await stack.person(1002, 'developer');
    ops = await stack.person(1003, 'operator');
    await ops.ask('hello');
    await stack.pool.query(
      `insert into projects (name, description, owner, action_id) values ('shop', 'the web shop', '1001', 'seed')`,
    );
    await developer.ask('deploy shop 1.4.2 to staging');
    await ops.waitFor(/Deploy shop/);
    await stack.pool.query(`update approvals set expires_at = now()`);
    await developer.waitFor(/Nobody decided about .*in time\. Nothing was changed/);
    await ops.waitFor(/⌛[\s\S]*No one decided in time/);
    expect(await status()).toEqual(['expired']);
    expect(target.effects).toEqual([]);
  });

  it('can be withdrawn by the requester', async () => {
    await asked();
    await developer.click('Withdraw');
    await cardSays(/🚫[\s\S]*withdrawn/);
    expect(await status()).toEqual(['void']);
  });

  it('cannot be decided during a freeze, and can be decided afterwards', async () => {
    await asked('production');
    await ops.click('Approve', 'ops');
    await cardSays(/1 of 2/);
    await admin.ask('/freeze the shop is on television');
    await second.click('Approve', 'ops');
    await eventually(audit, (kinds) => kinds.includes('approval.click_refused'));
    expect((await developer.ask('create a project called blog for articles')).join()).toMatch(/frozen|freeze/i);
    expect((await developer.ask('list the projects')).join()).toContain('shop');
    expect(target.effects).toEqual([]);
    expect((await admin.ask('/unfreeze')).join()).toContain('lifted');
    await second.click('Approve', 'ops');
    await developer.waitFor(/Deployed shop 1\.4\.2 to production/);
    expect(target.effects).toHaveLength(1);
  });

  it('can be granted for a time: the same call needs no further approval until /grants revokes the grant', async () => {
    await asked();
    await ops.click('Approve this and repeats for 30 min', 'ops');
    await developer.waitFor(/Deployed shop 1\.4\.2 to staging/);
    expect((await developer.ask('deploy shop 1.4.2 to staging')).join()).toContain('Deployed shop 1.4.2');
    expect(target.effects).toHaveLength(2);
    const listed = (await ops.ask('/grants')).join();
    const grant = /grant_\w+/.exec(listed)?.[0] ?? '';
    expect((await ops.ask(`/grants revoke ${grant}`)).join()).toContain('Grant revoked');
    expect((await developer.ask('deploy shop 1.4.2 to staging')).join()).toContain('needs approval');
    expect((await ops.ask('/approvals')).join()).toContain('Deploy shop 1.4.2 to staging');
    expect((await developer.ask('/why')).join()).toMatch(/trigger_deploy.*waiting/);
  });
});
