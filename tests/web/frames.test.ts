import { randomUUID } from 'node:crypto';
import { ServerFrame } from '@signalbox/contracts/conversation/frames';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { bench, CHAT, tellGateways, useBench } from './bench.ts';
import type { TestPage } from './page.ts';

useBench();

const frame = (type: string, payload: unknown, more: object = {}): string =>
  JSON.stringify({ type, ts: new Date().toISOString(), sessionId: 'main', payload, ...more });
const message = (payload: object): string => frame('client.message', { id: 'a', text: 'hello', ...payload });
const action = (payload: object): string =>
  frame('client.action', { id: 'a', componentId: '1.0', version: '1', index: 0, ...payload });

const ada = async (url: string): Promise<TestPage> => bench.open({ url, cookie: await bench.signIn(url) });

test.each([
  ['', 4002],
  ['hello', 4002],
  ['{', 4002],
  ['null', 4002],
  ['[]', 4002],
  ['{"type":"client.message"}', 4002],
  [frame('client.unknown', {}), 4002],
  [frame('server.a2ui.patch', { seq: 1, steps: [{ op: 'clear' }] }), 4002],
  [frame('server.voice.say', { text: 'x', language: null }), 4002],
  [frame('audit.event', { kind: 'approval.approved' }), 4002],
  [frame('client.message', { id: 'a', text: 'x' }, { sessionId: 'other' }), 4002],
  [frame('client.message', { id: 'a', text: 'x' }, { sessionId: '1002' }), 4002],
  [frame('client.message', { id: 'a', text: 'x' }, { ts: 'yesterday' }), 4002],
  [message({ id: '' }), 4002],
  [message({ id: 'a:b' }), 4002],
  [message({ id: 'x'.repeat(41) }), 4002],
  [message({ id: 7 }), 4002],
  [message({ text: '' }), 4002],
  [message({ text: '\0' }), 4002],
  [message({ text: 'x'.repeat(16_001) }), 4002],
  [message({ text: { $ne: '' } }), 4002],
  [message({ voice: 'yes' }), 4002],
  [action({ index: -1 }), 4002],
  [action({ index: 1.5 }), 4002],
  [action({ index: 64 }), 4002],
  [action({ componentId: "1' or 1=1" }), 4002],
  [action({ componentId: '' }), 4002],
  [frame('client.mode.update', { mode: 'loud', device: 'desktop' }), 4002],
  [frame('client.mode.update', { mode: 'voice' }), 4002],
  ['x'.repeat(64 * 1024 + 1), 1009],
  [message({ text: 'x'.repeat(200_000) }), 1009],
])('an invalid frame closes its socket, and no message is stored: %#', async (raw, code) => {
  const { url } = await bench.start();
  const page = await ada(url);
  page.socket.send(raw);
  page.say('too late');
  await until(() => page.closed !== null);
  expect(page.closed?.code).toBe(code);
  expect(await bench.harness.rows('select 1 from inbox')).toEqual([]);
});

test('a binary frame closes its socket', async () => {
  const { url } = await bench.start();
  const page = await ada(url);
  page.socket.send(Buffer.from(message({})), { binary: true });
  await until(() => page.closed !== null);
  expect(page.closed?.code).toBe(4002);
});

test('a page that sends too many messages at once is closed, and the messages before are stored in order', async () => {
  const { url } = await bench.start();
  const page = await ada(url);
  for (let n = 0; n < 60; n += 1) page.say(`number ${n}`);
  await until(() => page.closed !== null);
  expect(page.closed?.code).toBe(4004);
  const kept = await bench.harness.rows<{ text: string }>(`select envelope ->> 'text' as text from inbox order by id`);
  expect(kept.length).toBeLessThanOrEqual(42);
  expect(kept.map(({ text }) => text)).toEqual(kept.map((_, n) => `number ${n}`));
});

test('two frames with the same id become one message, in every tab and after a reconnect', async () => {
  const { url } = await bench.start();
  const cookie = await bench.signIn(url);
  const [page, other] = [await bench.open({ url, cookie }), await bench.open({ url, cookie })];
  const id = randomUUID();
  page.say('once', id);
  other.say('once', id);
  await until(() => page.find('once') && other.find('once'));
  page.socket.terminate();
  const again = await bench.open({ url, cookie, after: 0 });
  again.say('once', id);
  again.say('and then');
  await until(() => again.find('and then'));
  expect(again.texts()).toEqual(['once', 'and then']);
  expect(await bench.harness.rows('select 1 from inbox')).toHaveLength(2);
});

test('two frames with the same id in two sessions become two messages', async () => {
  const { url } = await bench.start();
  const cookie = await bench.signIn(url);
  const [main, side] = [await bench.open({ url, cookie }), await bench.open({ url, cookie, session: 'side' })];
  main.say('in the main one', 'same');
  side.say('beside it', 'same');
  await until(() => main.find('in the main one') && side.find('beside it'));
  expect(main.texts()).toEqual(['in the main one']);
  expect(side.texts()).toEqual(['beside it']);
  const chats = await bench.harness.rows<{ chat_key: string }>('select chat_key from inbox order by chat_key');
  expect(chats.map(({ chat_key: key }) => key)).toEqual([CHAT, `${CHAT}/side`]);
});

test("a page that sends the button of another person's chat is refused", async () => {
  const { url } = await bench.start();
  await bench.harness.say('web:1002', [{ text: 'And now?', buttons: [{ label: 'Delete it', value: 'delete it' }] }]);
  const [row] = await bench.harness.rows<{ id: string }>(`select id from outbox`);
  const page = await ada(url);
  for (const version of [row?.id, '999999', '-1', 'x', ''])
    page.send('client.action', { id: randomUUID(), componentId: `${row?.id}.0`, version, index: 0 });
  await until(async () => (await bench.harness.rows('select 1 from inbox')).length === 5);
  const outcomes = await bench.harness.rows<{ outcome: string; reason: string }>('select outcome, reason from inbox');
  expect(outcomes).toEqual(outcomes.map(() => ({ outcome: 'refused', reason: 'button expired' })));
  expect(await bench.harness.rows('select 1 from outbox where pressed is not null')).toEqual([]);
});

test('a press on a message that has changed in the meantime does not press the new button', async () => {
  const { url } = await bench.start();
  const page = await ada(url);
  const ask = (text: string, label: string): Promise<unknown> =>
    bench.harness.say(CHAT, [{ text, slot: 'ask', buttons: [{ label, value: label.toLowerCase() }] }]);
  await ask('Deploy to staging?', 'To staging');
  const seen = await until(() => page.find('staging'));
  await ask('Deploy to production?', 'To production');
  await until(() => page.find('production'));
  page.send('client.action', { id: 'late', componentId: seen.id, version: seen.version, index: 0 });
  await until(async () => (await bench.harness.rows('select 1 from inbox')).length === 1);
  const [pressed] = await bench.harness.rows(`select envelope ->> 'text' as text from inbox`);
  expect(pressed).toEqual({ text: 'to staging' });
});

test('a pressed button stays visible but inactive in every tab', async () => {
  const { url } = await bench.start();
  const cookie = await bench.signIn(url);
  const [page, other] = [await bench.open({ url, cookie }), await bench.open({ url, cookie })];
  await bench.harness.say(CHAT, [
    { text: 'And now?', buttons: ['Keep', 'Drop'].map((label) => ({ label, value: label })) },
  ]);
  await until(() => page.find('And now?'));
  page.press('Drop');
  await until(() => other.find('And now?')?.props['pressed'] === 1);
  other.press('Keep');
  await until(() => other.components.get('notice'));
  const [row] = await bench.harness.rows('select pressed from outbox');
  expect(row).toEqual({ pressed: 1 });
});

test('a secret in a message reaches no tab and no table, and the rest of the message is stored', async () => {
  const { url } = await bench.start();
  const page = await ada(url);
  const secret = `ghp_${'k7'.repeat(18)}`;
  page.say(`my token is ${secret}, keep it safe`, 'leaky');
  const shown = await until(() => [...page.components.values()].find(({ props }) => props['messageId'] === 'leaky'));
  expect(shown.props['text']).toMatch(/^my token is .*, keep it safe$/);
  await until(() => page.texts().length > 1);
  expect(JSON.stringify(page.frames)).not.toContain(secret);
  for (const table of ['web_patches', 'inbox', 'outbox'])
    expect(JSON.stringify(await bench.harness.rows(`select * from ${table}`))).not.toContain(secret);
});

test('a code that the bot showed disappears from the page when it expires', async () => {
  const { url } = await bench.start();
  const page = await ada(url);
  page.say('/link');
  const shown = await until(() =>
    page.shown.find(({ props }) => /[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}/.test(String(props['text']))),
  );
  const code = /[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(String(shown.props['text']))?.[0] ?? 'none';
  await bench.harness.rows(`update web_patches set at = at - interval '11 minutes'`);
  await bench.harness.rows('select web_forget()');
  await until(() => !JSON.stringify([...page.components.values()]).includes(code));
  expect(page.components.get(shown.id)?.props['text']).not.toContain(code);
});

test('a page receives only valid frames, and only components of its own chat', async () => {
  const { url } = await bench.start();
  const page = await ada(url);
  const raw: string[] = [];
  page.socket.on('message', (data) => raw.push((data as Buffer).toString()));
  await bench.harness.say('web:1002', [{ text: 'for Ben alone' }]);
  const letters = [
    { from: 'x', news: { kind: 'audit', chatKey: CHAT, event: 'approval.approved' } },
    { from: 'x', news: { kind: 'draft', chatKey: 'web:1002', text: 'for Ben alone' } },
    { kind: 'patched', chatKey: CHAT },
    'no letter',
  ];
  for (const letter of letters) await tellGateways(letter);
  page.say('/freeze release week');
  await until(() => page.texts().length === 2);
  const events = await bench.harness.rows<{ kind: string }>('select distinct kind from audit_events');
  expect(events.length).toBeGreaterThan(0);
  for (const { kind } of events) expect(raw.join('\n')).not.toContain(kind);
  expect(raw.join('\n')).not.toContain('for Ben alone');
  for (const one of raw) expect(ServerFrame.safeParse(JSON.parse(one)).success).toBe(true);
});
