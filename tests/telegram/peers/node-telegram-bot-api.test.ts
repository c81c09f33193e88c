import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { createSimulator, DEFAULT_TOKEN, type Simulator } from '@signalbox/telegram-simulator/server';
import { createSimulatorClient, type SimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import {
  Bot,
  InlineKeyboardBuilder,
  InputFile,
  RichMessageBuilder,
  richTableCell,
  TelegramApiError,
  webhookCallback,
} from 'node-telegram-bot-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../support/until.ts';

/*
 * A bot written with node-telegram-bot-api, which follows the newest Bot API: rich messages, drafts, files and webhooks go
 * through a client that was not made for our simulator.
 */

const ADA = 1001;
const SECRET = 'a-secret-of-some-length';

let simulator: Simulator;
let people: SimulatorClient;
let bot: Bot;
let polling: Promise<void> | null;

beforeEach(async () => {
  simulator = await createSimulator();
  people = createSimulatorClient(simulator.url);
  bot = new Bot(DEFAULT_TOKEN, { apiRoot: simulator.url, maxRetries: 0 });
  bot.command('start', (context) => context.reply('Hello'));
  bot.command('ask', (context) =>
    context.reply('Tea or coffee?', { reply_markup: new InlineKeyboardBuilder().text('Tea', 'tea').build() }),
  );
  bot.on('callback_query', async (context) => {
    await context.answerCallbackQuery({ text: `You chose ${context.callbackQuery?.data}` });
  });
  polling = null;
});
afterEach(async () => {
  bot.stop();
  await polling;
  await simulator.close();
});

test('a bot that polls answers a command and a button', async () => {
  polling = bot.startPolling();
  await hear('/start', 'Hello');
  await hear('/ask', 'Tea or coffee?');
  const question = (await people.messages(ADA)).at(-1);
  const toast = people.nextEvent((event) => event.kind === 'answer');
  await people.post('/api/clicks', { from: ADA, chat: ADA, messageId: question?.messageId, button: 'Tea' });
  expect(await toast).toMatchObject({ text: 'You chose tea' });
});

test('a rich message with a table arrives with all of its cells', async () => {
  await meet();
  const cell = (value: string): ReturnType<typeof richTableCell> => richTableCell(value);
  const rich = new RichMessageBuilder().heading('Ports', 2).table([
    [cell('project'), cell('port')],
    [cell('shop'), cell('3001')],
  ]);
  const shown = people.nextEvent((event) => event.kind === 'message' && event.message.from.isBot);
  const sent = await bot.api.sendRichMessage({ chat_id: ADA, rich_message: rich.build() });
  expect(JSON.stringify(sent.rich_message)).toContain('3001');
  expect(JSON.stringify(await shown)).toContain('3001');
});

test('a draft grows until the message is sent', async () => {
  await meet();
  const drafts = people.nextEvent((event) => event.kind === 'draft');
  await bot.api.sendMessageDraft({ chat_id: ADA, draft_id: 7, text: 'I am', can_stop: true });
  expect(await drafts).toMatchObject({ chatId: ADA });
  const ended = people.nextEvent((event) => event.kind === 'draftEnd');
  await bot.api.sendMessageDraft({ chat_id: ADA, draft_id: 7, text: 'I am done' });
  await bot.api.sendMessage({ chat_id: ADA, text: 'I am done.' });
  expect(await ended).toMatchObject({ draftId: 7, reason: 'sent' });
});

test('a file that a bot sends can be downloaded unchanged', async () => {
  await meet();
  const bytes = Uint8Array.from({ length: 5_000 }, (_, index) => index % 256);
  const sent = await bot.api.sendDocument({ chat_id: ADA, document: new InputFile(bytes, { filename: 'x.bin' }) });
  const { file_path: path } = await bot.api.getFile({ file_id: sent.document?.file_id ?? '' });
  const response = await fetch(`${simulator.url}/file/bot${DEFAULT_TOKEN}/${path}`);
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
});

test('a bot with a webhook receives its updates with the secret token', async () => {
  const server = await serveWebhook();
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await bot.api.setWebhook({ url: `http://127.0.0.1:${port}/hook`, secret_token: SECRET });
  expect(await hear('/start', 'Hello')).toBe('Hello');
  await until(async () => (await bot.api.getWebhookInfo()).pending_update_count === 0);
  await bot.api.deleteWebhook();
  await new Promise((resolve) => server.close(resolve));
});

test("a bot that polls while a webhook is set is refused with Telegram's error text", async () => {
  await bot.api.setWebhook({ url: 'http://127.0.0.1:9/hook' });
  const refusal = await bot.api.getUpdates().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(TelegramApiError);
  expect((refusal as TelegramApiError).message).toMatch(/can't use getUpdates method while webhook is active/);
});

/** A server whose only path is the library's webhook. */
async function serveWebhook(): Promise<Server> {
  const answer = webhookCallback(bot, { secretToken: SECRET });
  const server = createServer((request, response) => {
    const handle = async (): Promise<void> => {
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const body = await readText(request);
      const answered = await answer(new Request('http://127.0.0.1/hook', { method: 'POST', headers, body }));
      response.writeHead(answered.status).end();
    };
    handle().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** A bot may write only to who wrote to it. */
async function meet(): Promise<void> {
  await people.post('/api/messages', { from: ADA, text: 'hello' });
}

/** Says something as Ada and waits for this answer. */
async function hear(text: string, answer: string): Promise<string> {
  const heard = people.nextEvent((event) => event.kind === 'message' && event.message.text === answer);
  await people.post('/api/messages', { from: ADA, text });
  const event = await heard;
  return 'message' in event ? event.message.text : '';
}
