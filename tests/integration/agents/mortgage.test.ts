import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkReplay } from '../../support/replay-check.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

describe('the mortgage agent without a model', () => {
  let bench: WorkerBench;
  let people = 500;
  let who = '';
  /** What the person reads on saying this. */
  const ask = async (text: string): Promise<string> => (await bench.ask(who, text)).join('\n');
  /** Values of the buttons under the newest message. */
  const buttons = async (): Promise<readonly string[]> => {
    const { rows } = await bench.pool.query<{ buttons: { value: string }[] }>(
      `select body -> 'buttons' as buttons from outbox where user_key = $1 order by id desc limit 1`,
      [who],
    );
    return rows[0]?.buttons.map(({ value }) => value) ?? [];
  };

  beforeAll(async () => {
    bench = await openWorkerBench();
    await bench.startWorker({ env: { AGENT_DEFAULT: 'mortgage', MODEL: 'offline' } });
  });
  beforeEach(async () => {
    people += 1;
    who = String(people);
    await bench.addPerson(who);
  });
  afterAll(async () => {
    await checkReplay(bench.pool, []);
    await bench.close();
  });

  it('asks for the figures one by one, accepts bare answers, and shows the products with their payments', async () => {
    expect(await ask('hello')).toContain('What is the property worth?');
    expect(await ask('300,000')).toContain('How much do you want to borrow');
    expect(await ask('£210k')).toContain('For how many years should the rate be fixed?');
    expect(await buttons()).toContain('mortgage.set_intent {"fixYears":5}');
    const shown = await ask('5');
    expect(shown).toContain('Loan to value: 70%');
    expect(shown).toContain('| 4.12% | £999 | £1,122.42 |');
    expect(await buttons()).toContain('mortgage.select_product {"productId":"fix5-75"}');
  });

  it('reads all figures from one sentence', async () => {
    const shown = await ask('my house is worth 300k and I owe 210k, I want to fix for 5 years over 30 years');
    expect(shown).toContain('Property: £300,000');
    expect(shown).toContain('Loan: £210,000');
    expect(shown).toContain('Fixed for 5 years');
    expect(shown).toContain('Paid back over 30 years');
  });

  it('shows the costs of the chosen product, and recalculates them after a change', async () => {
    await ask('mortgage.set_intent {"propertyValue":300000,"loanBalance":210000,"fixYears":5}');
    const chosen = await ask('mortgage.select_product {"productId":"fix5-75"}');
    expect(chosen).toContain('£1,122.42 a month for 5 years');
    expect(chosen).toContain('Afterwards');
    const longer = await ask('mortgage.recalculate {"termYears":30}');
    expect(longer).toContain('£1,017.15 a month for 5 years');
    // Beyond what the product lends, it is on offer no more.
    expect(await ask('mortgage.recalculate {"loanBalance":240000}')).toContain('products fit');
  });

  it('refuses a product that is not offered for these figures, and a fixed rate that lasts longer than the loan', async () => {
    await ask('mortgage.set_intent {"propertyValue":300000,"loanBalance":210000,"fixYears":5}');
    expect(await ask('mortgage.select_product {"productId":"fix5-60"}')).toContain('not on offer');
    expect(await ask('mortgage.recalculate {"termYears":3}')).toContain('cannot be fixed for longer');
    expect(await ask('mortgage.set_intent {"loanBalance":295000}')).toContain('No product on offer fits');
  });

  it('offers products for existing customers to existing customers only', async () => {
    await ask('mortgage.set_intent {"propertyValue":300000,"loanBalance":210000,"fixYears":2}');
    expect(await buttons()).not.toContain('mortgage.select_product {"productId":"fix2-75-existing"}');
    await ask('I am an existing customer');
    expect(await buttons()).toContain('mortgage.select_product {"productId":"fix2-75-existing"}');
  });

  it('checks an address, and offers contact with a person after the third unknown address', async () => {
    expect(await ask('check an address')).toContain('Which address is it?');
    expect(await ask('14 Semaphore Road, Signal Bay QX1 2BD')).toContain(
      'I found 14 Semaphore Road, Signal Bay QX1 2BD',
    );
    await ask('mortgage.check_address');
    expect(await ask('15 Semaphore Road QX1 2BD')).toContain('I do not find');
    expect(await ask('somewhere 3')).toContain('I do not find');
    expect(await ask('5 Nowhere, ZZ9 9ZZ')).toContain('A person can help you better with this');
  });

  it('offers contact with a person after three messages that it did not understand', async () => {
    expect(await ask('lorem')).toContain('What is the property worth?');
    expect(await ask('ipsum')).toContain('I did not understand that.');
    expect(await ask('dolor')).toContain('A person can help you better with this');
    expect(await buttons()).toEqual(['mortgage.request_branch', 'mortgage.reset']);
  });

  it('requests a branch visit once, and answers with a receipt', async () => {
    expect(await ask('mortgage.request_branch')).toContain('A branch will call you');
    expect(await ask('mortgage.request_branch')).toContain('A branch will call you');
    const { rows } = await bench.pool.query(`select product_id from mortgage_branch_requests where user_key = $1`, [
      who,
    ]);
    expect(rows).toEqual([{ product_id: null }]);
    const { rows: shown } = await bench.pool.query(
      `select jsonb_array_length(coalesce(body -> 'receipts', '[]')) as receipts from outbox where user_key = $1 order by id`,
      [who],
    );
    expect(shown).toEqual([{ receipts: 1 }, { receipts: 0 }]);
  });

  it('requests no branch visit for a person who may not change anything, and explains why', async () => {
    await bench.pool.query(`update users set role = 'viewer' where user_key = $1`, [who]);
    expect(await ask('mortgage.request_branch')).not.toContain('A branch will call you');
    const { rows } = await bench.pool.query(`select 1 from mortgage_branch_requests where user_key = $1`, [who]);
    expect(rows).toEqual([]);
  });

  it('answers questions about the mortgage process', async () => {
    expect(await ask('how does it work?')).toContain('What would you like to know?');
    expect(await ask('mortgage.ask_process {"topic":"fees"}')).toContain('fee of its own');
    expect(await ask('how long does it take?')).toContain('three weeks');
  });

  it('redraws the products for a phone and for voice', async () => {
    await ask('mortgage.set_intent {"propertyValue":300000,"loanBalance":210000,"fixYears":5}');
    expect(await ask('mortgage.set_mode {"device":"mobile"}')).toContain('- 4.12%, fee £999: **£1,122.42** a month');
    const spoken = await ask('mortgage.set_mode {"mode":"voice"}');
    expect(spoken).toContain('At 4.12% it is £1,122.42 a month');
    expect(spoken).not.toMatch(/[|*]/);
  });

  it('forgets all figures when a person starts over', async () => {
    await ask('mortgage.set_intent {"propertyValue":300000}');
    expect(await ask('start over')).toContain('What is the property worth?');
    expect(await ask('mortgage.set_intent {"loanBalance":210000}')).toContain('What is the property worth?');
  });

  it.each([
    ['de', 'mein haus ist 300.000 wert, darlehen 210.000, 5 jahre fest', 'Beleihung: 70 %'],
    ['es', 'la casa vale 300.000 y el préstamo es de 210.000, fijo 5 años', 'Préstamo sobre el valor: 70 %'],
    ['ru', 'дом стоит 300 000, кредит 210 тыс, фиксация 5 лет', 'Кредит к стоимости: 70'],
    ['zh', '房产价值30万，贷款21万，固定5年', '贷款成数：70%'],
  ])('understands and answers in %s', async (language, text, said) => {
    await bench.pool.query(`update users set language = $2 where user_key = $1`, [who, language]);
    expect((await ask(text)).replace(/\u00a0/g, ' ')).toContain(said);
  });
});

it('a question and an order in one message are both answered, whichever of them shows a view last', async () => {
  const bench = await openWorkerBench();
  const acts = [
    { action: 'ask_process', data: { topic: 'binding' } },
    { action: 'set_intent', data: { propertyValue: 300_000, loanBalance: 295_000, fixYears: 5 } },
  ];
  try {
    await bench.startWorker({
      env: { AGENT_DEFAULT: 'mortgage' },
      script: () => ({ toolCalls: [{ name: 'choose_acts', args: { acts } }] }),
    });
    await bench.addPerson('7');
    await bench.pool.query(`update users set role = 'viewer' where user_key = '7'`);
    const said = (await bench.ask('7', 'is that fine? my house is worth 300k, I need 295k, fixed for 5')).join('\n');
    expect(said).toContain('No product on offer fits');
    expect(said).toContain('Nothing is binding so far');
  } finally {
    await bench.close();
  }
});
