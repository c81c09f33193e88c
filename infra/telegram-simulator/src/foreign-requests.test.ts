import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, InputFile } from 'grammy';
import { expect, onTestFinished, test } from 'vitest';
import { createSimulator, DEFAULT_TOKEN } from './server.ts';
import { createSimulatorClient } from './simulator-client.ts';
import { api, client, simulator, useSimulator } from './simulator.fixture.ts';

useSimulator();

/** Sends raw headers as a browser does, because fetch does not allow some of them. */
function send(path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<number> {
  const body = method === 'POST' ? JSON.stringify({ from: 1001, text: 'deploy shop to production' }) : '';
  return new Promise((resolve, reject) => {
    const all = { host: new URL(simulator.url).host, 'content-type': 'application/json', ...headers };
    const sent = request(`${simulator.url}${path}`, { method, headers: all }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

test.each([
  ['a page of the world', { origin: 'https://example.org' }],
  ['a page of another port of this machine, as a deployed service is', { origin: 'http://127.0.0.1:20001' }],
  ['the same port under another name of this machine', { origin: 'http://localhost:1' }],
  ['a frame without an origin', { origin: 'null' }],
  ['a page that only its referrer names', { referer: 'http://127.0.0.1:20001/index.html' }],
  ['what a browser calls another site', { 'sec-fetch-site': 'cross-site' }],
  ['what a browser calls the same site, which is any port', { 'sec-fetch-site': 'same-site' }],
  ['a foreign name that resolves to this machine', { host: 'rebound.example.org:8081' }],
  ['a name that only looks like this machine', { host: '127.0.0.1.example.org' }],
])('a request from %s can neither read the list of people nor write a message', async (_who, headers) => {
  const before = await api.getUpdates();
  expect(await send('/api/people', headers)).toBeGreaterThanOrEqual(400);
  expect(await send('/api/messages', headers, 'POST')).toBeGreaterThanOrEqual(400);
  expect(await send(`/bot${DEFAULT_TOKEN}/getMe`, headers)).toBeGreaterThanOrEqual(400);
  expect(await api.getUpdates()).toEqual(before);
});

test('the simulator answers its own page, an address typed in a browser and a local program', async () => {
  const own = { origin: simulator.url, referer: `${simulator.url}/`, 'sec-fetch-site': 'same-origin' };
  expect(await send('/api/people', own)).toBe(200);
  expect(await send('/api/messages', own, 'POST')).toBe(200);
  expect(await send('/', { 'sec-fetch-site': 'none' })).toBe(200);
  expect(await send('/api/people', {})).toBe(200);
  const port = new URL(simulator.url).port;
  expect(await send('/api/people', { host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe(200);
});

test.each([
  'sendMessage?chat_id=1001&text=hi',
  'SENDMESSAGE?chat_id=1001&text=hi',
  'getUpdates?offset=1000000000',
  'setWebhook?url=http://127.0.0.1:1/',
  'deleteMyCommands',
  'answerCallbackQuery?callback_query_id=1',
])('GET %s is refused without effect, and the error says to use POST', async (call) => {
  await client.post('/api/messages', { from: 1001, text: 'kept' });
  const url = `${simulator.url}/bot${DEFAULT_TOKEN}/${call}`;
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(405);
  const response = await fetch(url);
  expect(response.status).toBe(405);
  expect(await response.json()).toMatchObject({ ok: false, description: expect.stringContaining('POST') as string });
  expect((await api.getUpdates()).map((update) => update.message?.text)).toContain('kept');
  expect(await api.getWebhookInfo()).toMatchObject({ url: '' });
});

test('GET is accepted for methods that only read', async () => {
  const response = await fetch(`${simulator.url}/bot${DEFAULT_TOKEN}/getMe`);
  expect(await response.json()).toMatchObject({ ok: true, result: { id: 100 } });
});

test('only the user who runs the simulator can read its files, even in a folder that was readable before', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'simulator-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  chmodSync(dataDir, 0o755);
  writeFileSync(join(dataDir, 'simulator.jsonl'), '', { mode: 0o644 });
  mkdirSync(join(dataDir, 'files'), { mode: 0o755 });
  const kept = await createSimulator({ dataDir });
  const bot = new Api(DEFAULT_TOKEN, { apiRoot: kept.url });
  await fetch(`${kept.url}/api/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: 1001, text: 'a secret' }),
  });
  await bot.sendDocument(1001, new InputFile(Buffer.from('a file'), 'notes.txt'));
  await kept.close();
  const readFileMode = (path: string): number => statSync(join(dataDir, path)).mode & 0o077;
  expect(existsSync(join(dataDir, 'simulator.jsonl'))).toBe(true);
  const all = ['.', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })];
  expect(all.length).toBeGreaterThan(3);
  expect(all.filter((path) => readFileMode(path) !== 0)).toEqual([]);
});

test("a program on this machine that lacks the simulator's key can act neither as a person nor as a bot", async () => {
  const key = 'printed-at-the-start'.padEnd(32, '0');
  const closed = await createSimulator({ key });
  onTestFinished(() => closed.close());
  expect(closed.url).toBe(`http://127.0.0.1:${closed.port}/${key}`);
  const people = createSimulatorClient(closed.url);
  await people.say(1001, '/start');
  const updates = await new Api(DEFAULT_TOKEN, { apiRoot: closed.url }).getUpdates();
  expect(updates.map(({ message }) => message?.text)).toEqual(['/start']);
  for (const path of ['/', '/main.js', '/main.css']) expect((await fetch(`${closed.url}${path}`)).status).toBe(200);
  const root = `http://127.0.0.1:${closed.port}`;
  for (const prefix of ['', `/${key.slice(1)}`, `/${key}0`, `/x/${key}`, '//'])
    for (const path of ['/', '/api/people', '/api/events', `/bot${DEFAULT_TOKEN}/getMe`, '/api/faults', '/api/calls'])
      expect((await fetch(`${root}${prefix}${path}`)).status).toBe(403);
  const said = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"from":1001,"text":"deploy"}',
  };
  expect((await fetch(`${root}/api/messages`, said)).status).toBe(403);
  expect((await people.messages(1001)).map(({ text }) => text)).toEqual(['/start']);
  expect((await fetch(`${root}/healthz`)).status).toBe(200);
});
