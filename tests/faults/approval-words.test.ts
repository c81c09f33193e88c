import { afterAll, beforeAll, expect, it } from 'vitest';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

/*
 * What people write under a card instead of pressing its buttons. None of it decides: "do it" may be about lunch, and "no" about the
 * question before. 25 wordings, as they are, in capitals, with a name before and with a full stop: 100, in private and in a group.
 */
const WORDS = [
  'yes', 'ok', 'approve', 'approved', 'go ahead', 'do it', 'lgtm', '+1', 'fine by me', '👍',
  'no', 'reject', 'rejected', "don't do it", 'stop that deploy', 'never', 'not now please', '-1', 'why?', 'who is on call?',
  'maybe', 'wait', 'hmm', 'looks fine to me but ask Dara', 'I approve this deploy',
]; // prettier-ignore
const VARIANTS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => `Ben: ${text}`,
  (text) => `${text}.`,
];

let stack: Stack;
let target: DeployTarget;
let ops: Person;
let developer: Person;

beforeAll(async () => {
  target = await openDeployTarget();
  stack = await openStack({
    workers: 2,
    wiring: { groups: [deployGroup(target)] },
  });
  const admin = await stack.person(1001, 'admin');
  developer = await stack.person(1002, 'developer');
  ops = await stack.person(1003, 'operator');
  await admin.ask('create a project called shop for the web shop');
  await admin.send('@signalbox_bot /approvals here', { chat: 'ops' });
  await developer.ask('deploy shop 1.4.2 to staging');
  await eventually(
    () => ops.heard('ops'),
    (heard) => heard.some(({ text }) => text.includes('Deploy shop 1.4.2')),
  );
});
afterAll(async () => {
  await stack.close();
  await target.close();
});

const POINTED_ONCE = [
  { person: '1002', times: 1 },
  { person: '1003', times: 1 },
];
/** How often an answer pointed each person at the card. */
const listPointed = async (): Promise<readonly unknown[]> =>
  (
    await stack.pool.query(
      `select user_key as person, count(*)::int as times from outbox
        where body ->> 'text' ~ 'Still waiting for a decision.*apv_' group by user_key order by user_key`,
    )
  ).rows;

it('200 messages below a card decide nothing: the card, at which each person is pointed once, still decides', async () => {
  const texts = WORDS.flatMap((word) => VARIANTS.map((variant) => variant(word)));
  for (const text of texts) {
    await developer.ask(text);
    await ops.send(`@signalbox_bot ${text}`, { chat: 'ops' });
  }
  const settled = await eventually(
    async () =>
      (
        await stack.pool.query<{ said: number; open: number; unsent: number }>(
          `select (select count(*)::int from inbox where kind = 'message' and user_key = '1003') as said,
                  (select count(*)::int from inbox where outcome is null) as open,
                  (select count(*)::int from outbox where status in ('pending', 'sending')) as unsent`,
        )
      ).rows[0],
    (row) => row?.said === texts.length && row.open === 0 && row.unsent === 0,
    120_000,
  );
  expect(settled).toEqual({ said: texts.length, open: 0, unsent: 0 });
  // Each message has its turn or shares one, and is answered. One answer to each person points at the card.
  const { rows: unanswered } = await stack.pool.query(
    `select i.envelope ->> 'text' as text from inbox i
      where i.kind = 'message' and i.received_at > (select min(requested_at) from approvals)
        and not (i.outcome = 'merged' or exists (select 1 from outbox o where o.turn_id = i.turn_id and o.chat_key = i.chat_key))`,
  );
  expect(unanswered).toEqual([]);
  expect(await listPointed()).toEqual(POINTED_ONCE);
  // After hours the card was forgotten: the next answer points at it again.
  await stack.pool.query(`update outbox set created_at = created_at - interval '5 hours'`);
  await developer.ask('maybe');
  await developer.ask('hmm');
  expect(await listPointed()).toEqual(POINTED_ONCE.map((row) => ({ ...row, times: row.person === '1002' ? 2 : 1 })));
  const { rows } = await stack.pool.query(
    `select status, (select count(*)::int from approval_votes) as votes from approvals`,
  );
  expect(rows).toEqual([{ status: 'pending', votes: 0 }]);
  expect(target.effects).toEqual([]);
  await ops.click('Approve', 'ops');
  await developer.waitFor(/Deployed shop 1\.4\.2 to staging/);
  expect(target.effects).toHaveLength(1);
}, 600_000);
