import { createLog } from '@signalbox/platform/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/until.ts';
import { codeIn, openCardsBench, otherCode, type CardsBench, type Customer } from './cards-bench.ts';

describe('somebody with a card', () => {
  let bench: CardsBench;
  let next = 2000;
  const lines: string[] = [];
  const customer = (): Promise<Customer> => bench.customer((next += 1));
  beforeAll(async () => {
    const log = createLog('test', 'warn', { write: (line: string) => void lines.push(line) });
    bench = await openCardsBench({ log });
  });
  afterAll(() => bench.close());

  /** Reports payments, so that the risk is high, and reads the code that is sent for it. */
  async function withCode(who: Customer): Promise<string> {
    const phone = await who.whatsApp();
    await who.reports();
    return codeIn(
      await eventually(
        () => phone.heard(),
        (texts) => texts.some((text) => /\b\d{6}\b/.test(text)),
      ),
    );
  }

  it('who has lost a card freezes it with one tap and orders a new one with another tap', async () => {
    const who = await customer();
    const asked = (await who.person.ask('I lost my card')).join('\n');
    expect(asked).toContain('Which card do you mean?');
    await who.person.clickAndWait(`Debit card ending in ${who.debit}`);
    expect(await who.card(who.debit)).toEqual({ status: 'active', risk: 'medium' });
    const frozen = (await who.person.clickAndWait('Confirm')).join('\n');
    expect(frozen).toContain('is frozen');
    expect(await who.card(who.debit)).toEqual({ status: 'frozen', risk: 'medium' });
    await who.person.clickAndWait(`Replace card ${who.debit}`);
    expect(await who.card(who.debit)).toMatchObject({ status: 'frozen' });
    const replaced = (await who.person.clickAndWait('Confirm')).join('\n');
    expect(replaced).toMatch(/is cancelled\. A new one, ending in/);
    expect(await who.card(who.debit)).toMatchObject({ status: 'cancelled' });
    const { rows } = await bench.pool.query(
      `select status, arrives_on > current_date as later from cards where person = $1 and replaces is not null`,
      [String(who.person.id)],
    );
    expect(rows).toEqual([{ status: 'ordered', later: true }]);
  });

  it('gets no card frozen before the tap, whatever is written', async () => {
    const who = await customer();
    await who.does('freeze_card', { card: who.credit });
    for (const text of ['yes', 'confirm', 'I confirm it', 'do it now']) await who.person.ask(text);
    expect(await who.card(who.credit)).toMatchObject({ status: 'active' });
    await who.person.clickAndWait('Cancel');
    expect(await who.card(who.credit)).toMatchObject({ status: 'active' });
  });

  it('who does not recognize payments proves who they are, reports them, and an operator takes over', async () => {
    const who = await customer();
    const phone = await who.whatsApp();
    expect((await who.person.ask("I see transactions I don't recognise")).join('\n')).toContain('Which card');
    const listed = (await who.person.clickAndWait(`Debit card ending in ${who.debit}`)).join('\n');
    expect(listed).toMatch(/Which of these payments[\s\S]*1\. Quick Gift Cards[\s\S]*⚠[\s\S]*6\. City Market/);
    expect(await who.card(who.debit)).toMatchObject({ risk: 'high' });
    const challenged = (await who.person.clickAndWait('The 2 suspicious ones')).join('\n');
    expect(challenged).toContain('private chat on WhatsApp');
    const code = codeIn(
      await eventually(
        () => phone.heard(),
        (texts) => texts.some((text) => /\b\d{6}\b/.test(text)),
      ),
    );
    expect((await who.person.ask(code)).join('\n')).toContain('now I know that it is you');
    const reported = (await who.person.clickAndWait('Confirm')).join('\n');
    expect(reported).toMatch(/reported fraud[\s\S]*2 payments[\s\S]*asked an operator/);
    await bench.operator.waitFor(/look after the fraud/);
    await bench.operator.clickAndWait('Approve');
    await who.person.waitFor(/An operator looks after the fraud/);
    const { rows } = await bench.pool.query(`select taken_by from card_cases where person = $1`, [
      String(who.person.id),
    ]);
    expect(rows).toEqual([{ taken_by: '1003' }]);
    // It stays frozen for good: found or not.
    await who.does('freeze_card', { card: who.debit });
    await who.person.clickAndWait('Confirm');
    expect(await who.does('reset', { card: who.debit })).toContain('stays frozen');
  });

  it('reports the payments that they pick by number, and no others', async () => {
    const who = await customer();
    const phone = await who.whatsApp();
    await who.does('report_fraud', { card: who.debit });
    await who.person.ask('2 and 4');
    const code = codeIn(
      await eventually(
        () => phone.heard(),
        (texts) => texts.some((text) => /\b\d{6}\b/.test(text)),
      ),
    );
    await who.person.ask(code);
    await who.person.clickAndWait('Confirm');
    const { rows } = await bench.pool.query<{ merchant: string }>(
      `select t.merchant from card_transactions t join card_cases c using (case_id) where c.person = $1 order by t.at desc`,
      [String(who.person.id)],
    );
    expect(rows.map(({ merchant }) => merchant)).toEqual(['Gadget Palace Online', 'Corner Books']);
  });

  it('who names a card gets that card; of one that is frozen, cancelled or not theirs they are told', async () => {
    const who = await customer();
    const said = async (text: string): Promise<string> => (await who.person.ask(text)).join('\n');
    expect(await said(`I lost my card ${who.debit}`)).toContain(`freeze the card ending in ${who.debit}`);
    await who.person.clickAndWait('Confirm');
    expect(await said(`I lost my card ${who.debit}`)).toContain('is frozen already');
    expect(await said('I lost my card 9999')).toContain('You have no card here that ends in 9999.');
    await who.does('order_replacement', { card: who.debit });
    await who.person.clickAndWait('Confirm');
    const { rows } = await bench.pool.query<{ last4: string }>(
      `select last4 from cards where person = $1 and status = 'ordered'`,
      [String(who.person.id)],
    );
    const next = rows[0]?.last4 ?? '';
    const told = await said(`I lost my card ${who.debit}`);
    expect(told).toContain(`is cancelled; the one in its place ends in ${next} and is still on its way`);
    await bench.pool.query(`update cards set status = 'active' where person = $1 and last4 = $2`, [
      String(who.person.id),
      next,
    ]);
    await said(`I lost my card ${who.debit}`);
    const asked = (await who.person.clickAndWait(`Debit card ending in ${next}`)).join('\n');
    expect(asked).toContain(`freeze the card ending in ${next}`);
  });

  it('who has found the card again unfreezes it with a tap', async () => {
    const who = await customer();
    await who.does('freeze_card', { card: who.debit, because: 'lost' });
    await who.person.clickAndWait('Confirm');
    const offered = (await who.person.ask('I found my card!')).join('\n');
    expect(offered).toContain('Unfreeze');
    expect(await who.card(who.debit)).toMatchObject({ status: 'frozen' });
    await who.person.clickAndWait('Confirm');
    expect(await who.card(who.debit)).toEqual({ status: 'active', risk: 'low' });
  });

  it('can freeze a stolen card without a proof of identity, but cannot replace it without one', async () => {
    const who = await customer();
    const phone = await who.whatsApp();
    await who.does('freeze_card', { card: who.debit, because: 'stolen' });
    await who.person.clickAndWait('Confirm');
    expect(await who.card(who.debit)).toEqual({ status: 'frozen', risk: 'high' });
    await who.does('order_replacement', { card: who.debit });
    expect(await who.card(who.debit)).toMatchObject({ status: 'frozen' });
    const code = codeIn(
      await eventually(
        () => phone.heard(),
        (texts) => texts.some((text) => /\b\d{6}\b/.test(text)),
      ),
    );
    await who.person.ask(`the code is ${code.slice(0, 3)} ${code.slice(3)}`);
    await who.person.clickAndWait('Confirm');
    expect(await who.card(who.debit)).toMatchObject({ status: 'cancelled' });
  });

  it('is locked out after three wrong codes, and an operator vouches instead', async () => {
    const who = await customer();
    const code = await withCode(who);
    expect((await who.person.ask(otherCode(code))).join('\n')).toContain('2 tries are left');
    expect((await who.person.ask(otherCode(code))).join('\n')).toContain('1 try is left');
    expect((await who.person.ask(otherCode(code))).join('\n')).toContain('wrong three times');
    // The right one comes too late, and no other one is sent.
    await who.person.ask(code);
    const { rows } = await bench.pool.query(`select 1 from card_verifications where user_key = $1`, [
      String(who.person.id),
    ]);
    expect(rows).toEqual([]);
    await bench.operator.waitFor(/vouch for me/);
    await bench.operator.clickAndWait('Approve');
    await who.person.waitFor(/An operator has vouched for you/);
    await who.person.waitFor(/I report these payments/);
  });

  it('who has no other chat gets the code from an operator, and a message says so', async () => {
    const who = await customer();
    const asked = await who.reports();
    expect(asked).toContain('An operator will pass six digits on to you');
    await bench.operator.waitFor(/Send a code that proves who I am/);
    await bench.operator.clickAndWait('Approve');
    const passed = await bench.operator.waitFor(/The code for/);
    await who.person.waitFor(/An operator has your code/);
    expect((await who.person.ask(codeIn([passed]))).join('\n')).toContain('now I know that it is you');
  });

  it('gets a code within a second in the other chat and at the operator, without a periodic sweep', async () => {
    const who = await customer();
    const phone = await who.whatsApp();
    // As if it had woken these chats just now, an hour long.
    await bench.pool.query(`update chats set woken_at = now() + interval '1 hour'`);
    await who.reports();
    await eventually(
      () => phone.heard(),
      (texts) => texts.some((text) => /\b\d{6}\b/.test(text)),
      4_000,
    );
    await who.does('verify_identity', { by: 'operator' });
    await bench.operator.waitFor(new RegExp(`Send a code that proves who I am[^]*id ${who.person.id}`));
    await bench.pool.query(`update chats set woken_at = now() + interval '1 hour'`);
    await bench.operator.clickAndWait('Approve');
    await bench.operator.waitFor(new RegExp(`The code for P${who.person.id}`));
    // A person sees a code a moment before its row says that it was sent.
    const rows = await eventually(
      async () =>
        (
          await bench.pool.query<{ seconds: number }>(
            `select extract(epoch from o.sent_at - o.created_at)::float8 as seconds from outbox o
               join card_step_ups s on o.key = 'step-up:' || s.challenge_id
              where s.user_key = $1 and o.sent_at is not null`,
            [String(who.person.id)],
          )
        ).rows,
      (sent) => sent.length === 2,
    );
    for (const { seconds } of rows) expect(seconds).toBeLessThan(1);
  });

  it('gets no code at an account that was linked today', async () => {
    const who = await customer();
    const phone = await who.whatsApp();
    await bench.pool.query(`update users set created_at = now() where user_key = $1`, [phone.userKey]);
    expect(await who.reports()).toContain('An operator will pass six digits on to you');
    expect((await phone.heard()).join('\n')).not.toContain('Your code');
  });

  it('cannot prove their identity with an expired code', async () => {
    const who = await customer();
    const code = await withCode(who);
    await bench.pool.query(`update card_step_ups set expires_at = now() where user_key = $1`, [String(who.person.id)]);
    expect((await who.person.ask(code)).join('\n')).toMatch(/no longer valid/);
    const { rows } = await bench.pool.query(`select 1 from card_verifications where user_key = $1`, [
      String(who.person.id),
    ]);
    expect(rows).toEqual([]);
  });

  it('sees payments and branches, and this changes nothing', async () => {
    const who = await customer();
    expect(await who.does('view_transactions', { card: who.debit })).toMatch(/Gadget Palace[\s\S]*suspicious/);
    expect(await who.does('find_branch', { city: 'Hamburg' })).toContain('Jungfernstieg');
    expect(await who.does('find_branch', { city: 'Atlantis' })).toContain('no branch in Atlantis');
    const { rows } = await bench.pool.query(`select 1 from card_events where person = $1`, [String(who.person.id)]);
    expect(rows).toEqual([]);
  });

  it.each(['freeze_card', 'order_replacement', 'report_fraud', 'view_transactions', 'find_branch', 'reset'])(
    'may type the action name %s as a message, and the log warns of this',
    async (name) => {
      const who = await customer();
      lines.length = 0;
      expect((await who.person.ask(name)).join('\n')).toMatch(/Which card|Jungfernstieg/);
      expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
        expect.objectContaining({ level: 'warn', message: 'bare action name', agent: 'lost_card', action: name }),
      );
    },
  );

  it('cannot freeze the card of somebody else', async () => {
    const [who, other] = [await customer(), await customer()];
    expect(await who.does('freeze_card', { card: other.debit })).toContain('Which card do you mean?');
    expect(await other.card(other.debit)).toMatchObject({ status: 'active' });
  });

  it('gets no information about cards in a group', async () => {
    const who = await bench.customer(1002);
    await who.person.send('@signalbox_bot I lost my card', { chat: 'ops' });
    const heard = await eventually(
      async () => (await who.person.heard('ops')).map(({ text }) => text),
      ({ length }) => length > 0,
    );
    expect(heard.join('\n')).toContain('not talked about in groups');
    expect(heard.join('\n')).not.toContain(who.debit);
    expect(await who.card(who.debit)).toMatchObject({ status: 'active', risk: 'low' });
  });
});
