import { connect } from 'node:net';
import { Api, Bot, GrammyError } from 'grammy';
import { expect, test } from 'vitest';
import { DEFAULT_TOKEN } from './server.ts';
import { api, client, simulator, useSimulator } from './simulator.fixture.ts';

useSimulator();

test('a grammY bot can answer a message of a person', async () => {
  const bot = new Bot(DEFAULT_TOKEN, { client: { apiRoot: simulator.url } });
  bot.command('start', (context) => context.reply(`Hello ${context.from?.first_name}`));
  const running = bot.start();
  const answered = client.nextEvent((event) => event.kind === 'message' && event.message.from.isBot);
  await client.post('/api/messages', { from: 1001, text: '/start' });
  expect(await answered).toMatchObject({ chatId: 1001, message: { text: 'Hello Ada' } });
  await bot.stop();
  await running;
});

test('a request with a wrong bot token is refused with 401', async () => {
  await expect(new Api('100:other', { apiRoot: simulator.url }).getMe()).rejects.toMatchObject({ error_code: 401 });
});

test('an unknown method is refused with 404', async () => {
  await expect(api.sendDice(1001, '🎲')).rejects.toMatchObject({ error_code: 404, description: 'Not Found' });
});

test("getMe reports that the bot's privacy mode is on", async () => {
  expect(await api.getMe()).toMatchObject({ id: 100, can_read_all_group_messages: false, username: 'signalbox_bot' });
});

test("a refused call becomes a GrammyError with Telegram's code and description", async () => {
  const refusal = await api.sendMessage(1002, 'hi').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(GrammyError);
  expect(refusal).toMatchObject({
    error_code: 403,
    description: "Forbidden: bot can't initiate conversation with a user",
  });
});

test('a request from another website is refused', async () => {
  const response = await fetch(`${simulator.url}/api/people`, { headers: { origin: 'https://example.org' } });
  expect(response.status).toBe(403);
});

test("the content security policy of the page allows only the page's own scripts", async () => {
  const response = await fetch(`${simulator.url}/`);
  expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
});

test('closing the simulator ends open long polls and event streams', async () => {
  const poll = api.getUpdates({ timeout: 50 });
  const stream = await fetch(`${simulator.url}/api/events`);
  await client.findCall((call) => call.method === 'getUpdates');
  const startedAt = performance.now();
  await Promise.all([simulator.close(), poll.catch((error: unknown) => error), stream.text().catch(() => '')]);
  expect(performance.now() - startedAt).toBeLessThan(20_000); // the poll alone would take 50 s
});

test('a bot receives each of 5,000 messages once and in order', async () => {
  const texts = Array.from({ length: 5_000 }, (_, index) => `message ${index}`);
  await postAll(texts.map((text) => JSON.stringify({ from: 1001, text })));
  const seen: (string | undefined)[] = [];
  for (let offset = 0; ;) {
    const batch = await api.getUpdates({ offset, limit: 100 });
    const last = batch.at(-1);
    if (!last) break;
    seen.push(...batch.map((update) => update.message?.text));
    offset = last.update_id + 1;
  }
  expect(seen).toEqual(texts);
}, 60_000); // an idle machine needs two seconds

/** Pipelines all requests on one connection, which is faster than fetch. */
async function postAll(bodies: readonly string[]): Promise<void> {
  const head = 'POST /api/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ';
  const socket = connect(simulator.port, '127.0.0.1');
  socket.setEncoding('utf8');
  socket.write(bodies.map((body) => `${head}${body.length}\r\n\r\n${body}`).join(''));
  let answered = 0;
  let rest = '';
  for await (const part of socket) {
    const pieces = `${rest}${part}`.split('"ok":true');
    answered += pieces.length - 1;
    rest = pieces.at(-1) ?? '';
    if (answered === bodies.length) break;
  }
}
