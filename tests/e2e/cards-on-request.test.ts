import { createSimulator } from '@signalbox/whatsapp-simulator/server';
import { createSimulatorClient } from '@signalbox/whatsapp-simulator/simulator-client';
import { expect, onTestFinished, test } from 'vitest';
import { deployGroup, openDeployTarget } from '../support/deploy-target.ts';
import { freePort } from '../support/free-port.ts';
import { speakInTelegram, speakInWhatsApp, speakOnThePage, type Speaker } from '../support/speakers.ts';
import { openStack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';
import { whatsAppVariables } from '../whatsapp/variables.ts';

// Whoever may decide has to be able to get at the buttons, whenever they come.

const openScene = async () => {
  const simulator = await createSimulator();
  onTestFinished(() => simulator.close());
  const target = await openDeployTarget();
  onTestFinished(() => target.close());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const stack = await openStack({
    wiring: { groups: [deployGroup(target)] },
    env: {
      GATEWAY_CHANNELS: 'telegram,web,whatsapp',
      GATEWAY_HTTP_PORT: String(port),
      WEB_DEMO_PEOPLE: 'on',
      ...whatsAppVariables(simulator),
    },
  });
  onTestFinished(() => stack.close());
  const admin = await stack.person(1001, 'admin');
  const ben = await stack.person(1002, 'developer');
  const cleo = await stack.person(1003, 'operator');
  const dara = await stack.person(1004, 'operator');
  await admin.ask('create a project called shop for the web shop');
  await cleo.ask('hello');
  await ben.ask('deploy shop 1.4.2 to production');
  await cleo.waitFor(/Deploy shop 1\.4\.2 to production/);
  const people = createSimulatorClient(simulator.url);
  await people.subscribe(`${url}/webhook/whatsapp`);
  const speakers: Readonly<Record<string, () => Promise<Speaker>>> = {
    telegram: () => Promise.resolve(speakInTelegram(dara)),
    web: async () => {
      const page = await speakOnThePage(url, '1004');
      onTestFinished(() => page.close());
      return page;
    },
    whatsapp: () => speakInWhatsApp(people, stack.pool, { number: '12025550102', person: '1004' }),
  };
  return { stack, target, ben, cleo, speakers };
};

const CARD = /^⏳ \W*Deploy \W*shop 1\.4\.2 to production[\s\S]*apv_/;
const cardsOf = async (who: Speaker): Promise<readonly string[]> =>
  (await who.heard()).filter((text) => CARD.test(text));

test.each(['telegram', 'web', 'whatsapp'])(
  'an operator who first writes after an approval request gets its card with /approvals and can decide: %s',
  async (channel) => {
    const { stack, target, ben, cleo, speakers } = await openScene();
    const dara = await speakers[channel]?.();
    if (!dara) throw new Error(`nobody speaks through ${channel}`);
    await dara.say('/approvals');
    await eventually(
      () => cardsOf(dara),
      (cards) => cards.length === 1,
    );
    await dara.press('Approve');
    await cleo.waitFor(/1 of 2/);
    await cleo.click('Approve');
    await ben.waitFor(/Approved by .* Deployed shop 1\.4\.2 to production/);
    expect(target.effects).toHaveLength(1);
    // The decision of the other one turns this card into a receipt too.
    await eventually(
      () => dara.heard(),
      (texts) => texts.some((text) => /✅[\s\S]*Approved by/.test(text)) || channel === 'whatsapp',
    );
    const { rows } = await stack.pool.query(`select 1 from outbox where status in ('failed', 'undeliverable')`);
    expect(rows).toEqual([]);
  },
  120_000,
);

test('/approvals sends a card again that scrolled out of view, and the chat then has one copy of the card', async () => {
  const { cleo, ben } = await openScene();
  for (const text of ['hello', 'list the projects']) await cleo.ask(text);
  const shown = async () =>
    (await cleo.heard()).filter(({ buttons }) => buttons?.flat().some((b) => b.text === 'Approve'));
  for (let times = 0; times < 2; times += 1) {
    const [before] = await shown();
    const said = (await cleo.ask('/approvals')).join('\n');
    expect(said).not.toContain('The buttons are on the cards');
    await eventually(shown, (cards) => cards.length === 1 && (cards[0]?.messageId ?? 0) > (before?.messageId ?? 0));
  }
  expect((await cleo.heard()).at(-1)?.text).toMatch(CARD);
  // Whoever asked gets the card with which it is taken back, and nobody else's buttons.
  await ben.ask('/approvals');
  const [own] = await eventually(
    async () => (await ben.heard()).slice(-1),
    ([last]) => CARD.test(last?.text ?? ''),
  );
  expect(own?.buttons?.flat().map(({ text }) => text)).toEqual(['Withdraw']);
});
