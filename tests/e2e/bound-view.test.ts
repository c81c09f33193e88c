import { createSimulator } from '@signalbox/whatsapp-simulator/server';
import { createSimulatorClient } from '@signalbox/whatsapp-simulator/simulator-client';
import { renderApprovalScope } from '@signalbox/gateway/commands/bound-view';
import type { QuestionContext } from '@signalbox/gateway/commands/question';
import { createIdentityCode } from '@signalbox/store/people/identities';
import { findApproval } from '@signalbox/store/governance/approvals';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../support/free-port.ts';
import type { Person } from '../support/person.ts';
import { createScriptedModels } from '../support/scripted-model.ts';
import { speakInTelegram, speakInWhatsApp, type Speaker } from '../support/speakers.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually, until } from '../support/until.ts';
import { whatsAppVariables } from '../whatsapp/variables.ts';
import { cookieOf, postSession } from '../web/requests.ts';
import { TestPage } from '../web/page.ts';

// A card shows what a person decides by; all that is bound opens with one press, in every channel that takes decisions.

const LOGIN = 'f'.repeat(64);
const ran: string[] = [];
const move = tool({
  describe: 'Move a service to a server, which somebody has to approve.',
  hints: ['move a service to a server'],
  input: z.object({ service: z.string(), server: z.string() }),
  risk: 'dangerous',
  role: 'developer',
  egress: false,
  deadlineMs: 5_000,
  replay: 'harmless',
  resolve: async ({ server }) => ({ place: { name: server, login: LOGIN }, rack: null, owner: 'team-7' }),
  told: ['service', 'server', '→ place'],
  derived: ['→ place.login'],
  preview: ({ service, server }) => ({
    what: `Move ${service} to ${server}`,
    change: '',
    reach: 'its users',
    undo: 'move it back',
  }),
  run: async ({ service }) => {
    ran.push(service);
    return { service };
  },
  phrases: { done: ({ service }) => `Moved ${service}.` },
}).from('outside');
const groups = [toolGroup({ name: 'test', summary: 'Things to approve.', uses: [], tools: { move } })];
const models = createScriptedModels((messages, tools) => {
  if (tools.some(({ name }) => name === 'classify_intent')) {
    const args = { task_summary: 'move', capabilities: ['test'], project: null };
    return { toolCalls: [{ name: 'classify_intent', args }] };
  }
  const isAsked = messages.at(-1)?.text.includes('please move') ?? false;
  return isAsked
    ? { toolCalls: [{ name: 'move', args: { service: 'shop', server: 'vps-9' } }] }
    : { content: 'Noted.' };
});

let stack: Stack;
let ben: Person;
let cleo: Person;
let close = async (): Promise<void> => undefined;
let url: string;
let phone: Speaker;
beforeAll(async () => {
  const simulator = await createSimulator();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const env = {
    GATEWAY_CHANNELS: 'telegram,web,whatsapp',
    GATEWAY_HTTP_PORT: String(port),
    ...whatsAppVariables(simulator),
  };
  stack = await openStack({ env, wiring: { groups, models: () => Promise.resolve(models) } });
  close = () => simulator.close();
  ben = await stack.person(1002, 'developer');
  cleo = await stack.person(1003, 'operator');
  await stack.person(1005, 'viewer');
  await cleo.ask('hello');
  const people = createSimulatorClient(simulator.url);
  await people.subscribe(`${url}/webhook/whatsapp`);
  phone = await speakInWhatsApp(people, stack.pool, { number: '12025550102', person: '1003' });
  await ben.ask('please move it to the other server');
}, 60_000);
afterAll(async () => {
  await stack.close();
  await close();
});

const opened = (texts: readonly string[]): readonly string[] =>
  texts.filter((text) => text.includes('This is exactly what runs'));
const hashOf = async (): Promise<string> =>
  (await stack.pool.query<{ hash: string }>('select hash from approvals')).rows[0]?.hash ?? '';

test('an approval card shows the values that matter for the decision, and a short hash of the other values', async () => {
  const card = await cleo.waitFor(/Move shop to vps-9/);
  const text = String((card as { text?: string }).text ?? card).replace(/[\u2068\u2069]/g, '');
  expect(text).toContain('→ owner: team-7');
  expect(text).toContain('“please move it to the other server”');
  expect(text).toContain((await hashOf()).slice(0, 8));
  for (const derived of [LOGIN.slice(0, 20), 'rack', await hashOf()]) expect(text).not.toContain(derived);
});

test('each press of the button for the full request shows it and decides nothing, in Telegram and WhatsApp', async () => {
  await phone.say('/approvals');
  await eventually(
    () => phone.heard(),
    (texts) => texts.some((text) => text.includes('Move shop')),
  );
  for (const speaker of [speakInTelegram(cleo), phone]) {
    for (const times of [1, 2]) {
      await speaker.press('Show the full request');
      const texts = await eventually(
        async () => opened(await speaker.heard()),
        (found) => found.length === times,
      );
      expect(texts.at(-1)).toContain(await hashOf());
      expect(texts.at(-1)?.replace(/[\u2068\u2069]|\n┊ /g, '')).toContain(`"login":"${LOGIN}"`);
    }
  }
  expect((await stack.pool.query('select 1 from approval_votes')).rows).toEqual([]);
  const { rows } = await stack.pool.query(`select 1 from approvals where status = 'pending'`);
  expect(rows).toHaveLength(1);
});

test('the full request opens inside the card on the web page, and by a message with the id of the request', async () => {
  const code = await createIdentityCode(stack.pool, '1003');
  const page = new TestPage({ url, cookie: cookieOf(await postSession(url, { code })) });
  await page.opened();
  page.say('/approvals');
  const card = await until(() => page.shown.find(({ type }) => type === 'Approval'), 30_000);
  expect(card.props['bound']).toContain(await hashOf());
  expect(JSON.stringify(card.props['buttons'])).not.toContain('Everything');
  const [{ id }] = (await stack.pool.query<{ id: string }>('select approval_id as id from approvals')).rows as [
    { id: string },
  ];
  page.say(`/approvals ${id}`);
  await until(() => page.find('This is exactly what runs'), 30_000);
  page.socket.terminate();
});

test('a press by a person who may not decide shows nothing of the request', async () => {
  const { rows } = await stack.pool.query<{ id: string }>('select approval_id as id from approvals');
  const approval = await findApproval(stack.pool, rows[0]?.id ?? '');
  if (!approval) throw new Error('there is no request');
  // It looks at who asks, and at nothing else of it.
  const shownTo = (userKey: string, role: QuestionContext['role']) =>
    renderApprovalScope(stack.pool, approval, { envelope: { userKey }, role } as QuestionContext);
  expect(await shownTo('1005', 'viewer')).toBeNull();
  expect(await shownTo('1005', 'developer')).toBeNull();
  expect(await shownTo('1002', 'developer')).toContain('This is exactly what runs');
  expect(await shownTo('1003', 'operator')).toContain('This is exactly what runs');
});

test('the full request is hidden from people who may not decide, and can still be opened after the decision', async () => {
  const dora = await stack.person(1005, 'viewer');
  const [{ id }] = (await stack.pool.query<{ id: string }>('select approval_id as id from approvals')).rows as [
    { id: string },
  ];
  expect((await dora.ask(`/approvals ${id}`)).join('\n')).not.toContain('This is exactly what runs');
  await cleo.click('Approve');
  await ben.waitFor(/Moved shop/);
  await phone.press('Show the full request');
  await eventually(
    async () => opened(await phone.heard()),
    (found) => found.length === 3,
  );
  expect(ran).toEqual(['shop']);
});
