import { HttpError } from 'grammy';
import { expect, test, vi } from 'vitest';
import type { LoggedCall } from './call-log.ts';
import { DEFAULT_TOKEN } from '../server.ts';
import { api, client, simulator, useSimulator } from '../simulator.fixture.ts';

useSimulator({ greeted: true });

async function textsSeen(): Promise<string[]> {
  return (await client.messages(1001)).map((message) => message.text);
}

test('an injected 429 error says how long to wait, and is returned the requested number of times', async () => {
  await client.post('/api/faults', { method: 'sendMessage', error: { code: 429, retryAfter: 3 }, times: 2 });
  for (const text of ['one', 'two']) {
    await expect(api.sendMessage(1001, text)).rejects.toMatchObject({
      error_code: 429,
      description: 'Too Many Requests: retry after 3',
      parameters: { retry_after: 3 },
    });
  }
  await api.sendMessage(1001, 'three');
  expect(await textsSeen()).toEqual(['/start', 'three']);
});

test('an injected fault that drops the connection before sendMessage runs prevents the message', async () => {
  await client.post('/api/faults', { method: 'sendMessage', dropConnection: 'before' });
  await expect(api.sendMessage(1001, 'lost')).rejects.toBeInstanceOf(HttpError);
  expect(await textsSeen()).toEqual(['/start']);
});

test('a message is delivered although an injected fault drops the connection after sendMessage has run', async () => {
  await client.post('/api/faults', { method: 'sendMessage', dropConnection: 'after' });
  await expect(api.sendMessage(1001, 'arrived')).rejects.toBeInstanceOf(HttpError);
  expect(await textsSeen()).toEqual(['/start', 'arrived']);
});

test('updates are sent again when an injected fault dropped the answer of getUpdates', async () => {
  await client.post('/api/faults', { method: 'getUpdates', dropConnection: 'after' });
  await expect(api.getUpdates()).rejects.toBeInstanceOf(HttpError);
  expect(await api.getUpdates()).toMatchObject([{ message: { text: '/start' } }]);
});

test('an injected fault for any method affects getMe but not getUpdates', async () => {
  await client.post('/api/faults', { method: '*', error: { code: 500 } });
  await api.getUpdates();
  await expect(api.getMe()).rejects.toMatchObject({ error_code: 500 });
});

test('a call that an injected fault delays finishes later than a call that was made after it', async () => {
  await client.post('/api/faults', { method: 'sendMessage', delayMs: 400 });
  const slow = api.sendMessage(1001, 'slow');
  await client.findCall((call) => call.method === 'sendMessage');
  await api.sendMessage(1001, 'quick');
  await slow;
  expect(await textsSeen()).toEqual(['/start', 'quick', 'slow']);
});

test('injected faults that were cleared affect no call', async () => {
  await client.post('/api/faults', { method: 'getMe', error: { code: 400 }, times: 9 });
  await fetch(`${simulator.url}/api/faults`, { method: 'DELETE' });
  expect(await api.getMe()).toMatchObject({ id: 100 });
});

test('the call log lists every call in order with its chat and status', async () => {
  await api.sendMessage(1001, 'hello');
  await api.sendMessage(4242, 'nobody').catch(() => undefined);
  const calls = await client.get<LoggedCall[]>('/api/calls');
  expect(calls).toMatchObject([
    { method: 'sendMessage', chatId: 1001, status: 200, params: { text: 'hello' } },
    { method: 'sendMessage', chatId: 4242, status: 400 },
  ]);
  expect(calls[1]?.at).toBeGreaterThanOrEqual(calls[0]?.at ?? Infinity);
  expect(await client.get(`/api/calls?after=${calls[0]?.seq}`)).toHaveLength(1);
});

test('an injected fault for one chat does not affect messages to another chat', async () => {
  await client.post('/api/messages', { from: 1002, text: '/start' });
  await client.post('/api/faults', { method: 'sendMessage', chat: 1002, error: 'blocked' });
  await api.sendMessage(1001, 'fine');
  await expect(api.sendMessage(1002, 'x')).rejects.toMatchObject({
    error_code: 403,
    description: 'Forbidden: bot was blocked by the user',
  });
  await api.sendMessage(1002, 'fine again');
});

test('an injected fault with skip 2 lets two calls succeed before it fails the third', async () => {
  await client.post('/api/faults', { method: 'sendMessage', skip: 2, error: { code: 500 } });
  await api.sendMessage(1001, 'one');
  await api.sendMessage(1001, 'two');
  await expect(api.sendMessage(1001, 'three')).rejects.toMatchObject({ error_code: 500 });
});

test('an injected error about a migrated group holds the id of the new group', async () => {
  const error = { name: 'migrated', migrateToChatId: -1009 };
  await client.post('/api/faults', { method: 'sendMessage', chat: 'ops', error });
  await expect(api.sendMessage(-2001, 'x')).rejects.toMatchObject({
    error_code: 400,
    description: 'Bad Request: group chat was upgraded to a supergroup chat',
    parameters: { migrate_to_chat_id: -1009 },
  });
});

test('the injected fault badGateway returns an HTML page instead of JSON', async () => {
  await client.post('/api/faults', { method: 'getMe', error: 'badGateway' });
  const response = await fetch(`${simulator.url}/bot${DEFAULT_TOKEN}/getMe`);
  expect(response.status).toBe(502);
  expect(response.headers.get('content-type')).toContain('text/html');
  expect(await response.text()).toContain('<h1>502 Bad Gateway</h1>');
});

test.each([
  ['before', ['/start']],
  ['after', ['/start', 'sent']],
] as const)('a call that an injected fault suspends %s the method runs gets no answer', async (hang, texts) => {
  await client.post('/api/faults', { method: 'sendMessage', hang });
  const controller = new AbortController();
  // grammY declares its own signal type; at run time it is the same class.
  const signal = controller.signal as Parameters<typeof api.getMe>[0];
  const answer = api.sendMessage(1001, 'sent', {}, signal).catch(() => 'hung up');
  await client.findCall((call) => call.method === 'sendMessage');
  await vi.waitFor(async () => expect(await textsSeen()).toEqual(texts), { timeout: 8_000 });
  controller.abort();
  expect(await answer).toBe('hung up');
  await client.findCall((call) => call.method === 'sendMessage' && call.status === 0);
  await api.sendMessage(1001, 'next');
  expect(await textsSeen()).toEqual([...texts, 'next']);
});

test('closing the simulator ends a call that an injected fault suspends', async () => {
  await client.post('/api/faults', { method: 'getMe', hang: 'before' });
  const answer = api.getMe().catch(() => 'ended');
  await client.findCall((call) => call.method === 'getMe');
  await simulator.close();
  expect(await answer).toBe('ended');
});

test('an injected fault can make a file download fail', async () => {
  await client.post('/api/faults', { method: 'downloadFile', dropConnection: 'before' });
  await expect(fetch(`${simulator.url}/file/bot${DEFAULT_TOKEN}/documents/file_0`)).rejects.toThrow('fetch failed');
});

test('an injected fault with an unknown name is refused', async () => {
  expect(await client.post('/api/faults', { method: 'getMe', error: 'nonsense' })).toMatchObject({ ok: false });
  expect(await client.get('/api/faults')).toEqual([]);
});
