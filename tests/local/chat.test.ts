import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { openChatActivity, type ChatActivity } from '@signalbox/local/chat/chat-activity';
import { formatJsonLines, formatPlain, openChatSession, type ChatSession } from '@signalbox/local/chat/chat-session';
import { createSimulatorClient, type SimulatorClient } from '@signalbox/local/chat/chat-simulator';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { createSupervisor } from '@signalbox/local/supervisor/supervisor';
import { Api } from 'grammy';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase, openRawPool, type TestDatabase } from '../support/database.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// The real simulator and a real database; the bot is a few lines here, which answer when a test says so.

const times = { quietMs: 300, limitMs: 5_000 };
const supervisor = createSupervisor({ report: () => undefined, onChange: () => undefined });
let database: TestDatabase;
let pool: pg.Pool;
let simulator: SimulatorClient;
let bot: Api;
let activity: ChatActivity;
let session: ChatSession;

beforeAll(async () => {
  database = await createDatabase();
  pool = openRawPool(database.url);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const main = join(getCheckoutPath(), 'infra/telegram-simulator/src/main.ts');
  await supervisor.start({
    name: 'simulator',
    args: ['--conditions=source', '--import', 'tsx', main],
    main,
    env: { SIMULATOR_PORT: String(port) },
    readyUrl: `${url}/healthz`,
    logFile: join(makeTemporaryFolder('chat'), 'simulator.log'),
  });
  simulator = createSimulatorClient(url);
  bot = new Api('100:simulator', { apiRoot: url });
});
afterAll(async () => {
  await supervisor.stop();
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  activity = openChatActivity(database.url, '1001');
  const speaker = await simulator.findSpeaker(1001, undefined);
  session = await openChatSession({ simulator, activity, speaker, times });
});
afterEach(() => activity.close());

test('`npm run chat` waits for a late answer while the message is in progress', async () => {
  // With no quiet time to wait for, only what the database says keeps the chat waiting.
  const speaker = await simulator.findSpeaker(1001, undefined);
  const eager = await openChatSession({ simulator, activity, speaker, times: { ...times, quietMs: 0 } });
  const exchange = eager.say('hello');
  const id = await receive();
  await bot.sendMessage(1001, 'Hello Ada');
  await settle(id);
  const { messages, settled } = await exchange;
  expect(settled).toBe(true);
  expect(messages.map(({ text }) => text)).toEqual(['Hello Ada']);
});

test('`npm run chat` shows an edited message once, in its final form and with its buttons', async () => {
  const exchange = session.say('deploy');
  const id = await receive();
  const { message_id } = await bot.sendMessage(1001, 'Working…');
  const keyboard = {
    inline_keyboard: [[{ text: 'Approve', callback_data: 'a' }], [{ text: 'Reject', callback_data: 'r' }]],
  };
  await bot.editMessageText(1001, message_id, 'Deploy shop to staging?', { reply_markup: keyboard });
  await settle(id);
  const result = await exchange;
  expect(formatPlain(result)).toBe('Deploy shop to staging?\n[Approve]\n[Reject]\n\n');
  expect(JSON.parse(formatJsonLines(result))).toMatchObject({ buttons: [['Approve'], ['Reject']], edited: true });
});

test('`npm run chat` presses the button with the given label, and prints the notice', async () => {
  const reply_markup = { inline_keyboard: [[{ text: 'Approve', callback_data: 'a' }]] };
  await bot.sendMessage(1001, 'Really?', { reply_markup });
  await session.catchUp();
  const exchange = session.press('Approve');
  const [update] = await nextUpdates();
  await bot.answerCallbackQuery(update?.callback_query?.id ?? '', { text: 'Approved' });
  expect(formatPlain(await exchange)).toBe('(Approved)\n\n');
});

test('`npm run chat` says that work is still in progress when its wait times out', async () => {
  const speaker = await simulator.findSpeaker(1001, undefined);
  const hasty = await openChatSession({ simulator, activity, speaker, times: { quietMs: 100, limitMs: 400 } });
  const exchange = hasty.say('something long');
  const id = await receive();
  expect(await exchange).toMatchObject({ settled: false, messages: [] });
  await settle(id);
});

test('`npm run chat` refuses an unknown person, chat or button, and lists the known ones', async () => {
  await expect(simulator.findSpeaker(42, undefined)).rejects.toThrow(/no person 42[^]*1001 Ada \(admin\)/);
  await expect(simulator.findSpeaker(1005, 'ops')).rejects.toThrow(/1005 is in no chat 'ops'/);
  await expect(session.press('No such button')).rejects.toThrow(/No such button/);
  await expect(simulator.findSpeaker(1002, 'ops')).resolves.toMatchObject({ person: 1002 });
});

let offset = 0;

async function nextUpdates() {
  const updates = await bot.getUpdates({ offset, timeout: 5 });
  offset = (updates.at(-1)?.update_id ?? 0) + 1;
  return updates;
}

/** Takes the message as a gateway does: one row in the inbox, without an outcome yet. */
async function receive(): Promise<string> {
  const [update] = await nextUpdates();
  const insert = `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
    values ('telegram', '100', $1, '1001', '1001', 'message', '{}', 'trace') returning id`;
  const { rows } = await pool.query<{ readonly id: string }>(insert, [String(update?.update_id)]);
  return rows[0]?.id ?? '';
}

async function settle(id: string): Promise<void> {
  await pool.query("update inbox set outcome = 'answered', settled_at = now() where id = $1", [id]);
}

test('`npm run chat -- --help` prints its usage when no instance runs', () => {
  const words = ['--conditions=source', '--import', 'tsx', join(getCheckoutPath(), 'infra/local/src/chat/chat.ts')];
  for (const flag of ['--help', '-h']) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...words, flag], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: npm run chat -- /);
  }
}, 30_000);
