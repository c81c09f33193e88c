import { createLog } from '@signalbox/platform/log';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { otherCode } from '../../agents/cards-bench.ts';
import type { Person } from '../../support/person.ts';
import { until } from '../../support/until.ts';
import { openAgentsBench, type AgentsBench, type Customer } from './bench.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === null)('somebody with a card, on the web page', () => {
  let bench: AgentsBench;
  let operator: Person;
  let next = 2600;
  const lines: string[] = [];
  beforeAll(async () => {
    const log = createLog('test', 'warn', { write: (line: string) => void lines.push(line) });
    bench = await openAgentsBench(executablePath, { log });
    operator = await bench.stack.person(1003, 'operator');
    await operator.ask('/whoami');
  }, 60_000);
  afterEach(() => bench.scene.leave());
  afterAll(() => bench?.close());

  const customer = (): Promise<Customer> => bench.customer((next += 1), 'viewer');
  /** What happened to cards of the newest customer, oldest first. */
  const events = async (): Promise<readonly string[]> =>
    (
      await bench.stack.pool.query<{ kind: string }>(
        `select kind from card_events where person = $1 and kind <> 'risk raised' order by at, kind`,
        [String(next)],
      )
    ).rows.map(({ kind }) => kind);
  const verifications = async (): Promise<readonly unknown[]> =>
    (await bench.stack.pool.query('select by from card_verifications where user_key = $1', [`web-${next}`])).rows;

  it('reports the card as lost, freezes it with a tap, and orders a new one with another tap', async () => {
    const who = await customer();
    const page = await who.open('lost_card');
    await page.write("I've lost my card");
    await page.press(`Debit card ending in ${who.debit}`);
    await page.sees('Press Confirm above, and I freeze the card');
    expect(await who.card()).toEqual({ status: 'active', risk: 'medium' });
    await page.shoot('lost-card-confirm');
    await page.press('Confirm');
    await page.sees('Shall I order a new card to replace');
    expect(await who.card()).toEqual({ status: 'frozen', risk: 'medium' });
    await page.shoot('lost-card-frozen');
    await page.press(`Replace card ${who.debit}`);
    await page.sees('and I cancel the card');
    expect(await who.card()).toMatchObject({ status: 'frozen' });
    await page.press('Confirm');
    await page.sees(/A new one, ending in \d{4}, arrives by/);
    await page.sees('Is there anything else about your cards?');
    await page.shoot('lost-card-replaced');
    expect(await who.card()).toMatchObject({ status: 'cancelled' });
    expect(await events()).toEqual(['frozen', 'replaced']);
    const { rows } = await bench.stack.pool.query(
      `select a.status, a.by_requester, v.user_key from approvals a join approval_votes v using (approval_id) where a.user_key = $1`,
      [`web-${next}`],
    );
    const own = { status: 'consumed', by_requester: true, user_key: String(next) };
    expect(rows).toEqual([own, own]);
  });

  it('cannot confirm a freeze by typing, and the answer points to the buttons', async () => {
    const who = await customer();
    const page = await who.open('lost_card');
    await page.write('please freeze my card');
    await page.press(`Debit card ending in ${who.debit}`);
    await page.sees('Press Confirm above');
    for (const text of ['yes', 'ja, mach das', 'да']) await page.write(text);
    await page.sees('Only the buttons on the card decide');
    // Once is enough: each answer says that the button above decides.
    expect((await page.said()).split('Only the buttons on the card decide')).toHaveLength(2);
    await page.shoot('lost-card-words');
    expect(await who.card()).toMatchObject({ status: 'active' });
    await page.press('Cancel');
    await page.sees('Withdrawn');
    expect(await who.card()).toMatchObject({ status: 'active' });
    expect(await events()).toEqual([]);
  });

  it('reports unrecognized payments after a proof of identity in another chat, and an operator takes over', async () => {
    const who = await customer();
    const page = await who.open('lost_card');
    await page.write("I see transactions I don't recognise");
    await page.press(`Debit card ending in ${who.debit}`);
    await page.sees('Which of these payments');
    await page.shoot('lost-card-payments');
    await page.press('The 2 suspicious ones');
    await page.sees('I have sent six digits to your private chat on Telegram.');
    expect(await who.card()).toMatchObject({ risk: 'high' });
    await page.shoot('lost-card-challenge');
    const code = await who.code();
    await page.write(code);
    await page.sees('Thank you, now I know that it is you.');
    // What proved it is no more to be seen than what was sent.
    await page.sees('••••••');
    expect(await page.said()).not.toMatch(new RegExp(`${code}|step-up-code`));
    await page.sees(/Quick Gift Cards, .*, €500\.00/);
    await page.shoot('lost-card-report');
    expect(await events()).toEqual(['code sent', 'code checked']);
    await page.press('Confirm');
    await page.sees('I have asked an operator to look after it');
    await page.shoot('lost-card-escalated');
    await operator.waitFor(new RegExp(`look after the fraud[^]*id web-${next}`));
    await operator.clickAndWait('Approve');
    await page.sees('An operator looks after the fraud that you reported.');
    const { rows } = await bench.stack.pool.query(
      `select c.taken_by, count(t.*)::int as payments from card_cases c join card_transactions t using (case_id)
        where c.person = $1 group by c.taken_by`,
      [String(next)],
    );
    expect(rows).toEqual([{ taken_by: '1003', payments: 2 }]);
    expect(await events()).toEqual(['code sent', 'code checked', 'fraud reported', 'cases taken']);
  });

  it('finds the card again and unfreezes it with a tap', async () => {
    const who = await customer();
    const page = await who.open('lost_card');
    await page.write("I've lost my card");
    await page.press(`Debit card ending in ${who.debit}`);
    await page.press('Confirm');
    await page.sees('Shall I order a new card');
    await page.write('I found my card');
    await page.sees('can be used again. Until then nothing changes.');
    expect(await who.card()).toMatchObject({ status: 'frozen' });
    await page.press('Confirm');
    await until(async () => (await who.card())?.status === 'active');
    await page.sees('Is there anything else about your cards?');
    await page.shoot('lost-card-found');
    expect(await events()).toEqual(['frozen', 'unfrozen']);
  });

  it('proves who they are before the page asks them to confirm a new card', async () => {
    const who = await customer();
    const page = await who.open('lost_card');
    await page.write('my card was stolen');
    await page.press(`Debit card ending in ${who.debit}`);
    await page.press('Confirm');
    await page.press(`Replace card ${who.debit}`);
    await page.sees('Before I go on, I have to be sure that it is you.');
    const asked = async (): Promise<readonly unknown[]> =>
      (
        await bench.stack.pool.query(
          `select 1 from approvals a join actions x using (action_id) where x.tool = 'request_replacement' and a.user_key = $1`,
          [`web-${next}`],
        )
      ).rows;
    expect(await asked()).toEqual([]);
    expect(await who.card()).toEqual({ status: 'frozen', risk: 'high' });
    await page.write(await who.code());
    await page.sees('and I cancel the card');
    expect(await asked()).toHaveLength(1);
    await page.press('Confirm');
    await page.sees(/A new one, ending in \d{4}, arrives by/);
    expect(await who.card()).toMatchObject({ status: 'cancelled' });
  });

  it('is locked out after three wrong codes, and an operator vouches instead', async () => {
    const who = await customer();
    const page = await who.open('lost_card');
    await page.write('lost_card.report_fraud {"card":"' + who.debit + '"}');
    await page.press('The 2 suspicious ones');
    await page.sees('I have sent six digits');
    const code = await who.code();
    await page.write(otherCode(code));
    await page.sees('That is not the code. 2 tries are left.');
    await page.shoot('lost-card-wrong-code');
    await page.write(otherCode(code, 2));
    await page.sees('That is not the code. 1 try is left.');
    await page.write(otherCode(code, 3));
    await page.sees('That was wrong three times, so I take no more codes for an hour.');
    await page.sees('I have asked an operator to make sure that it is you');
    await page.shoot('lost-card-locked');
    // The right one comes too late.
    await page.write(code);
    await until(async () => (await events()).filter((kind) => kind === 'code checked').length === 4);
    expect(await verifications()).toEqual([]);
    await operator.waitFor(new RegExp(`vouch for me[^]*id web-${next}`));
    await operator.clickAndWait('Approve');
    await page.sees('An operator has vouched for you.');
    await page.sees('Then I report these payments with the card');
    expect(await verifications()).toEqual([{ by: '1003' }]);
  });

  it('may type the names of actions as messages, and the log warns of each', async () => {
    const who = await customer();
    const page = await who.open('lost_card');
    const names = ['freeze_card', 'order_replacement', 'report_fraud', 'view_transactions', 'reset', 'find_branch'];
    for (const name of names) await page.write(name);
    await page.sees('Jungfernstieg');
    // The branch is told, and the open question comes again below it.
    await until(async () => (await page.said()).split('Which card do you mean?').length === names.length + 1);
    const warned = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const bare = warned.filter(({ message, userKey }) => message === 'bare action name' && userKey === `web-${next}`);
    expect(bare.map(({ agent, action }) => [agent, action])).toEqual(names.map((name) => ['lost_card', name]));
  });
});
