import { HumanMessage } from '@langchain/core/messages';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createScriptedModels } from '../support/scripted-model.ts';
import { openCardsBench, type CardsBench } from './cards-bench.ts';

/** What the model makes of each message. */
const MEANINGS: Readonly<Record<string, readonly object[]>> = {
  'my bag was nicked, and two charges are not mine': [
    { action: 'freeze_card', data: { card: null, because: 'stolen' } },
    { action: 'report_fraud', data: {} },
  ],
  'is that fine?': [{ action: 'ask_about', data: { topic: 'state' } }],
  'a new one, to my mother’s': [
    { action: 'ask_about', data: { topic: 'address' } },
    { action: 'order_replacement', data: {} },
  ],
};

let bench: CardsBench;
let seen = '';
beforeAll(async () => {
  const models = createScriptedModels((messages) => {
    seen = messages.map(({ text }) => text).join('\n');
    const heard = messages.findLast(HumanMessage.isInstance)?.text ?? '';
    const acts = /the credit one/.test(heard)
      ? [{ action: 'choose_card', data: { card: /choose_card \{"card":"(77\d\d)"\}/.exec(seen)?.[1] } }]
      : MEANINGS[heard];
    return { toolCalls: [{ name: 'choose_acts', args: { acts: acts ?? [] } }] };
  });
  bench = await openCardsBench({ wiring: { models: () => Promise.resolve(models) } });
});
afterAll(() => bench.close());

it('whoever was robbed and sees strange charges says it once, and confirms each step', async () => {
  const who = await bench.customer(2701);
  const ask = async (text: string): Promise<string> => (await who.person.ask(text)).join('\n');
  expect(await ask('my bag was nicked, and two charges are not mine')).toContain('Which card do you mean?');
  // A question of the person is answered, and then the open question is asked again.
  expect(await ask('is that fine?')).toMatch(/begin as soon as I know which card[\s\S]*Which card do you mean\?/);
  // What the model does not understand loses nothing.
  await ask('hm');
  const noted = await ask('a new one, to my mother’s');
  expect(noted).toMatch(/only to the address that the bank has[\s\S]*Which card do you mean\?/);
  expect(await ask('the credit one')).toContain(`I freeze the card ending in ${who.credit}`);
  expect(seen).toContain(
    'Open, to be begun by itself: freeze_card {"because":"stolen"}, report_fraud {}, order_replacement {}',
  );
  expect(await who.card(who.credit)).toEqual({ status: 'active', risk: 'high' });
  const frozen = (await who.person.clickAndWait('Confirm')).join('\n');
  expect(frozen).toContain('is frozen');
  expect(frozen).toContain('Before I go on, I have to be sure that it is you.');
  // Nobody can read a code elsewhere: an operator vouches.
  await who.person.clickAndWait('Let an operator vouch for me');
  await bench.operator.waitFor(/Let an operator vouch for me/);
  await bench.operator.clickAndWait('Approve');
  await who.person.waitFor(/I report fraud|I report these payments/);
  const reported = (await who.person.clickAndWait('Confirm')).join('\n');
  expect(reported).toMatch(/I have reported fraud[\s\S]*I cancel the card ending in/);
  await who.person.clickAndWait('Confirm');
  expect(await who.card(who.credit)).toMatchObject({ status: 'cancelled' });
}, 180_000);

it('a stolen card stays stolen when the first card was the wrong one', async () => {
  const who = await bench.customer(2703);
  await who.person.ask('my bag was nicked, and two charges are not mine');
  await who.person.clickAndWait(`Debit card ending in ${who.debit}`);
  await who.does('choose_card', { card: who.credit });
  expect(await who.card(who.credit)).toEqual({ status: 'active', risk: 'high' });
  await who.person.clickAndWait('Confirm');
  expect(await who.card(who.credit)).toMatchObject({ status: 'frozen' });
  expect(await who.card(who.debit)).toMatchObject({ status: 'active' });
});
