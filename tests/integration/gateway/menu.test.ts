import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_TOKEN } from '@signalbox/telegram-simulator/server';
import { openHarness, until, type Call, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

interface Offered {
  readonly command: string;
  readonly description: string;
  readonly is_ephemeral?: boolean;
}
/** What Telegram holds for a scope and a language. */
async function held(scope: object, language = ''): Promise<readonly Offered[]> {
  const response = await fetch(`${harness.simulatorUrl}/bot${DEFAULT_TOKEN}/getMyCommands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ scope, language_code: language }),
  });
  return ((await response.json()) as { result: Offered[] }).result;
}
const names = (offered: readonly Offered[]): string => offered.map((one) => one.command).join(' ');
const offeredTo = (person: number, chat?: 'ops'): Promise<readonly Offered[]> =>
  harness.people.get(`/api/commands?as=${person}${chat ? `&chat=${chat}` : ''}`);
const changes = async (): Promise<readonly Call[]> => [
  ...(await harness.calls('setMyCommands')),
  ...(await harness.calls('deleteMyCommands')),
  ...(await harness.calls('setChatMenuButton')),
];
/** Resolves when a gateway has compared everything. */
const registered = (): Promise<boolean> =>
  until('the menu is registered', async () => {
    const rows = await harness.rows(`select 1 from settings where key = 'menu_admins:telegram:100'`);
    return rows.length === 1;
  });
const EVERYBODY =
  'new stop status memory approvals schedules why secret help incidents oncall mute whoami link agents language';
const ADMIN = `${EVERYBODY} people invite allow deny users role queues sources`;

test('the command menu is in the language of each person, and longer for admins', async () => {
  await harness.startGateway();
  await registered();
  expect(names(await offeredTo(1002))).toBe(EVERYBODY);
  expect(names(await offeredTo(1001))).toBe(ADMIN);
  expect(names(await offeredTo(1001, 'ops'))).toBe(EVERYBODY);
  for (const scope of ['default', 'all_private_chats', 'all_group_chats']) {
    for (const [language, description] of [
      ['', 'What I can do'],
      ['de', 'Was ich kann'],
      ['es', 'Qué puedo hacer'],
      ['ru', 'Что я умею'],
      ['zh', '我能做什么'],
    ]) {
      const help = (await held({ type: scope }, language)).find((one) => one.command === 'help');
      expect(help?.description).toBe(description);
      expect(help?.is_ephemeral ?? false).toBe(scope === 'all_group_chats');
    }
  }
  const button = await harness.people.get<{ menuButton: object }>('/api/bot?as=1002');
  expect(button.menuButton).toEqual({ type: 'commands' });
});

test('a second start registers only menus that were changed in between', async () => {
  const first = await harness.startGateway();
  await registered();
  await first.close();
  const before = (await changes()).length;
  expect(before).toBeGreaterThanOrEqual(20);
  await harness.rows(`delete from settings`);
  const second = await harness.startGateway();
  await registered();
  expect(await changes()).toHaveLength(before);
  await second.close();
  await fetch(`${harness.simulatorUrl}/bot${DEFAULT_TOKEN}/deleteMyCommands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ scope: { type: 'all_group_chats' }, language_code: 'es' }),
  });
  await harness.rows(`delete from settings`);
  await harness.startGateway();
  await registered();
  const sets = (await harness.calls('setMyCommands')).slice(-1);
  expect(sets[0]?.params).toMatchObject({ language_code: 'es' });
  expect(await changes()).toHaveLength(before + 2);
});

test('a new admin gets the longer menu at once, and a former admin gets the shorter one', async () => {
  await harness.startGateway();
  await registered();
  await harness.people.post('/api/messages', { from: 1001, text: '/allow 1002 admin' });
  await until('Ben is offered more', async () => names(await offeredTo(1002)) === ADMIN);
  await harness.people.post('/api/messages', { from: 1001, text: '/deny 1002' });
  await until('Ben is offered less', async () => names(await offeredTo(1002)) === EVERYBODY);
  expect(names(await offeredTo(1001))).toBe(ADMIN);
});

test('an admin who was demoted while no gateway ran gets the shorter menu at the next start', async () => {
  await harness.rows(`update users set role = 'admin' where user_key = '1002'`);
  const first = await harness.startGateway();
  await registered();
  expect(names(await offeredTo(1002))).toBe(ADMIN);
  await first.close();
  await harness.rows(`update users set role = 'viewer' where user_key = '1002'`);
  await harness.startGateway();
  await until('Ben is offered less', async () => names(await offeredTo(1002)) === EVERYBODY);
});

test('an admin who has no chat with the bot does not delay the menus of others', async () => {
  await harness.rows(`insert into users (user_key, channel, name, role) values ('4711', 'telegram', 'Max', 'admin')`);
  await harness.startGateway();
  await registered();
  expect(names(await offeredTo(1001))).toBe(ADMIN);
});

test('command menus are registered again after Telegram fails, and commands work meanwhile', async () => {
  await harness.fault({ method: 'getMyCommands', error: { code: 502 }, times: 2 });
  const { lines } = await harness.startGateway();
  await harness.people.post('/api/messages', { from: 1001, text: '/whoami' });
  await until('she is answered', async () => (await harness.said(1001)).length === 1);
  await registered();
  expect(names(await offeredTo(1001))).toBe(ADMIN);
  expect(lines.filter((line) => String(line['message']).startsWith('menu not registered'))).not.toEqual([]);
});

test('two gateways register the menu once', async () => {
  await Promise.all([harness.startGateway(), harness.startGateway()]);
  await registered();
  await until('both are done', async () => (await harness.calls('getChatMenuButton')).length === 2);
  const set = (await harness.calls('setMyCommands')).map((call) => JSON.stringify(call.params));
  expect(new Set(set).size).toBe(set.length);
});
