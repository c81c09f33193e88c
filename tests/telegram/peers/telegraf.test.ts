import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { createSimulator, DEFAULT_TOKEN, type Simulator } from '@signalbox/telegram-simulator/server';
import { createSimulatorClient, type SimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import { Markup, Telegraf, TelegramError } from 'telegraf';
import { afterEach, beforeEach, expect, test } from 'vitest';

/*
 * A bot written with telegraf, whose maintainers never saw our simulator: what it takes from Telegram, it has to get here.
 */

const ADA = 1001;

/** What telegraf writes files with. Its last release takes one read for the whole of a part; since Node 26 a read gives one chunk. */
const { SandwichStream } = createRequire(createRequire(import.meta.url).resolve('telegraf'))('sandwich-stream') as {
  readonly SandwichStream: { prototype: { currentStreamOnReadable(this: PartStream): void } };
};
type PartStream = Readable & { readonly currentStream: Readable };
SandwichStream.prototype.currentStreamOnReadable = function () {
  for (let part: unknown = this.currentStream.read(); part !== null; part = this.currentStream.read()) this.push(part);
};

let simulator: Simulator;
let people: SimulatorClient;
let bot: Telegraf;
let running: Promise<void> | null;

beforeEach(async () => {
  simulator = await createSimulator();
  people = createSimulatorClient(simulator.url);
  bot = new Telegraf(DEFAULT_TOKEN, { telegram: { apiRoot: simulator.url } });
  bot.start((context) => context.reply(`Hello ${context.from.first_name}`));
  bot.command('ask', (context) =>
    context.reply('Tea or coffee?', Markup.inlineKeyboard([Markup.button.callback('Tea', 'tea')])),
  );
  bot.action('tea', async (context) => {
    await context.answerCbQuery('noted');
    await context.editMessageText('Tea it is.');
  });
  bot.hears('bold', (context) => context.replyWithHTML('a <b>bold</b> word'));
  bot.hears('file', (context) =>
    context.replyWithDocument({ source: Buffer.from('a,b\n1,2\n'), filename: 'table.csv' }),
  );
  running = null;
});
afterEach(async () => {
  if (running) bot.stop();
  await running;
  await simulator.close();
});

test('a telegraf bot answers a command', async () => {
  await launch();
  expect(await hear('/start', 'Hello Ada')).toBe('Hello Ada');
});

test('a telegraf bot edits its question when a button is pressed', async () => {
  await launch();
  await hear('/ask', 'Tea or coffee?');
  const [question] = (await people.messages(ADA)).filter((message) => message.from.isBot);
  const edited = people.nextEvent((event) => event.kind === 'edit' && event.message.text === 'Tea it is.');
  await people.post('/api/clicks', { from: ADA, chat: ADA, messageId: question?.messageId, button: 'Tea' });
  await edited;
  const answered = await people.findCall((call) => call.method === 'answerCallbackQuery' && call.status !== null);
  expect(answered.status).toBe(200);
});

test('a telegraf bot sends a file that the person can download', async () => {
  await launch();
  const sent = people.nextEvent((event) => event.kind === 'message' && event.message.from.isBot);
  await people.post('/api/messages', { from: ADA, text: 'file' });
  expect(await sent).toMatchObject({ message: { file: { kind: 'document', name: 'table.csv', sizeBytes: 8 } } });
});

test("telegraf reports an error of the simulator with Telegram's code and text", async () => {
  const refusal = await bot.telegram.sendMessage(1002, 'hi').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(TelegramError);
  expect(refusal).toMatchObject({ code: 403, description: "Forbidden: bot can't initiate conversation with a user" });
});

/** Starts to poll; resolves as soon as the bot does. */
async function launch(): Promise<void> {
  await new Promise<void>((resolve) => {
    running = bot.launch(resolve);
  });
}

/** Says something as Ada and waits for this answer. */
async function hear(text: string, answer: string): Promise<string> {
  const heard = people.nextEvent((event) => event.kind === 'message' && event.message.text === answer);
  await people.post('/api/messages', { from: ADA, text });
  const event = await heard;
  return 'message' in event ? event.message.text : '';
}
