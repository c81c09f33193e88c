import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from 'grammy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sendFromPerson } from '../people/person-messages.ts';
import { createSimulator, DEFAULT_TOKEN } from '../server.ts';
import { createSimulatorClient } from '../simulator-client.ts';
import { listMessages, Store } from './store.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'simulator-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

function open(): Store {
  return new Store({ token: DEFAULT_TOKEN, dataDir });
}

function say(store: Store, text: string): { updateId: number | null; messageId: number } {
  const [sent] = sendFromPerson(store, {
    from: 1001,
    chatId: 1001,
    text,
    replyTo: null,
    topic: null,
    raw: false,
    files: [],
  });
  return { updateId: sent.updateId, messageId: sent.message.messageId };
}

test('after a restart unconfirmed updates are sent again, and ids continue where they ended', async () => {
  const first = await createSimulator({ dataDir });
  const before = createSimulatorClient(first.url);
  const confirmed = await before.post('/api/messages', { from: 1001, text: 'confirmed' });
  const waiting = await before.post('/api/messages', { from: 1001, text: 'waiting' });
  await new Api(DEFAULT_TOKEN, { apiRoot: first.url }).getUpdates({ offset: waiting.updateId ?? 0 });
  await first.close();

  const second = await createSimulator({ dataDir });
  const api = new Api(DEFAULT_TOKEN, { apiRoot: second.url });
  expect(await api.getUpdates()).toMatchObject([{ update_id: waiting.updateId, message: { text: 'waiting' } }]);
  const later = await createSimulatorClient(second.url).post('/api/messages', { from: 1001, text: 'later' });
  expect(later.updateId).toBe((waiting.updateId ?? 0) + 1);
  expect(later.messageId).toBe(waiting.messageId + 1);
  expect(later.seq).toBeGreaterThan(confirmed.seq);
  await second.close();
});

test('messages, blocks, people and clicks survive a restart of the simulator', async () => {
  const first = await createSimulator({ dataDir });
  const before = createSimulatorClient(first.url);
  await before.post('/api/people', { id: 7001, name: 'Gus' });
  await before.post('/api/messages', { from: 1001, text: 'hi' });
  const keyboard = { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] };
  const api = new Api(DEFAULT_TOKEN, { apiRoot: first.url });
  await api.sendMessage(1001, 'Sure?', { reply_markup: keyboard });
  const { callbackQueryId } = await before.post('/api/clicks', { from: 1001, button: 'Go' });
  await before.post('/api/block', { person: 1001, blocked: true });
  const seen = await before.messages(1001);
  await first.close();

  const second = await createSimulator({ dataDir });
  const after = createSimulatorClient(second.url);
  expect(await after.messages(1001)).toEqual(seen);
  expect(await after.get('/api/people')).toContainEqual({ id: 7001, name: 'Gus', role: 'stranger', blocked: false });
  const apiAfter = new Api(DEFAULT_TOKEN, { apiRoot: second.url });
  await expect(apiAfter.sendMessage(1001, 'x')).rejects.toMatchObject({ error_code: 403 });
  expect(await apiAfter.answerCallbackQuery(callbackQueryId)).toBe(true);
  await second.close();
});

test('an incomplete last line of the log is cut off, so that the next event is readable', () => {
  const first = open();
  say(first, 'whole');
  first.close();
  appendFileSync(join(dataDir, 'simulator.jsonl'), '{"kind":"message","mess');
  const second = open();
  say(second, 'after');
  second.close();
  const third = open();
  expect(listMessages(third.state, 1001).map((message) => message.text)).toEqual(['whole', 'after']);
  third.close();
});

test('a damaged line in the middle of the log is refused with its line number', () => {
  const first = open();
  first.close();
  const file = join(dataDir, 'simulator.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n').length; // the last line is empty
  appendFileSync(file, 'nonsense\n');
  expect(open).toThrow(`Line ${lines} of ${file} is damaged`);
});

test('the log is compacted at start without losing or repeating an event', () => {
  const first = open();
  for (let index = 0; index < 50; index += 1) {
    const { messageId } = say(first, `message ${index}`);
    const message = first.state.chats.get(1001)?.get(messageId);
    for (let edit = 0; edit < 10 && message; edit += 1) first.putMessage('edit', { ...message, text: `edit ${edit}` });
  }
  first.updates.dropAll();
  const last = say(first, 'last');
  first.close();
  const sizeBefore = statSync(join(dataDir, 'simulator.jsonl')).size;

  const second = open();
  expect(statSync(join(dataDir, 'simulator.jsonl')).size).toBeLessThan(sizeBefore / 5);
  expect(listMessages(second.state, 1001)).toEqual(listMessages(first.state, 1001));
  expect([...second.state.updates.values()]).toEqual([...first.state.updates.values()]);
  expect(say(second, 'next')).toEqual({ updateId: (last.updateId ?? 0) + 1, messageId: last.messageId + 1 });
  second.close();
  const lines = readFileSync(join(dataDir, 'simulator.jsonl'), 'utf8').trim().split('\n');
  expect(lines.at(-1)).toContain('"next"');
});

test('a simulator without a data folder gives larger message ids after each start', () => {
  const ids = [0, 1].map(() => {
    const store = new Store({ token: DEFAULT_TOKEN });
    const before = Date.now();
    while (Date.now() === before);
    return say(store, 'hi').messageId;
  });
  expect(ids[1]).toBeGreaterThan(ids[0] ?? Infinity);
});

test('a compacted log restores the same state as the full log', async () => {
  const first = await createSimulator({ dataDir });
  const api = new Api(DEFAULT_TOKEN, { apiRoot: first.url });
  const client = createSimulatorClient(first.url);
  const data = Buffer.from('kept').toString('base64');
  await client.say(1001, 'look', { files: [{ name: 'a.txt', data }] });
  await client.setBotStatus('administrator');
  await api.setChatMenuButton({ chat_id: 1001, menu_button: { type: 'default' } });
  await api.setMyCommands([{ command: 'secret', description: 'x', is_ephemeral: true }]);
  await api.sendMessage(-2001, 'psst', { ephemeral_message_parameters: { receiver_user_id: 1002 } });
  await api.sendRichMessage(1001, { blocks: [{ type: 'paragraph', text: 'rich' }] });
  await api.setWebhook('http://127.0.0.1:1/', { allowed_updates: ['message'] });
  await first.close();
  // The first open reads the long log, the second one the compacted log.
  const long = open();
  long.close();
  const short = open();
  // Counters only grow, also when a log is opened.
  const rest = (state: object): unknown => Object.entries(state).filter(([name]) => name !== 'next');
  expect(rest(short.state)).toEqual(rest(long.state));
  expect(short.state.next.messageId).toBe(long.state.next.messageId);
  short.close();
});

test('the store reads the log of an older version of the simulator', () => {
  open().close();
  const message = {
    chatId: 1001,
    messageId: 5,
    fromId: 1001,
    date: 1_700_000_000,
    text: 'old',
    entities: [],
    keyboard: null,
    replyTo: null,
    editDate: null,
    deleted: false,
    seq: 7,
  };
  appendFileSync(join(dataDir, 'simulator.jsonl'), `${JSON.stringify({ kind: 'message', message })}\n`);
  const store = open();
  expect(listMessages(store.state, 1001)).toMatchObject([
    { text: 'old', rich: null, fileId: null, topicId: null, ephemeral: null },
  ]);
  store.close();
});
