import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openChatActivity, type ChatActivity } from '@signalbox/local/chat/chat-activity';
import { openChatSession, type BotReaction, type ChatSession } from '@signalbox/local/chat/chat-session';
import { createSimulatorClient } from '@signalbox/local/chat/chat-simulator';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { discardPostgres } from '@signalbox/local/postgres/postgres';
import { discardRedis } from '@signalbox/local/redis/redis';
import { readLiveRunRecord } from '@signalbox/local/supervisor/instance';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { PAGES, readPage, type Block } from '../support/task-pages.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

// A newcomer's first day: each block of docs/tasks/ is run in order, as its page prints it, against one `npm start`.

const PEOPLE: Readonly<Record<string, number>> = { Ada: 1001, Ben: 1002, Cleo: 1003, Dara: 1004, Eli: 1005, Zoe: 1009 };
const START_TIMEOUT_MS = 120_000;
const BLOCK_TIMEOUT_MS = 120_000;
const times = { quietMs: 300, limitMs: 45_000 };

let dir = '';
let env: Record<string, string> = {};
let product: ChildProcess | null = null;
let hasStarted = false;
let chats = new Map<string, { readonly session: ChatSession; readonly activity: ChatActivity; heard: string }>();
let second: Promise<string> = Promise.resolve('');

beforeAll(async () => {
  dir = makeTemporaryFolder('tasks');
  env = {
    PATH: loadTestConfig().path,
    HOME: dir,
    SIGNALBOX_DATA_DIR: dir,
    SIMULATOR_PORT: String(await findFreePort()),
    GATEWAY_HTTP_PORT: String(await findFreePort()),
    MODEL: 'offline',
  };
});
afterAll(async () => {
  await stop();
  await Promise.all([discardPostgres(join(dir, 'postgres')), discardRedis(join(dir, 'redis'))]);
}, START_TIMEOUT_MS);

describe.each(PAGES)('docs/tasks/%s.md', (name) => {
  const blocks = readPage(name).filter(({ reason }) => reason === null);
  test(`does what it prints, in ${blocks.length} blocks`, { timeout: 600_000 }, async () => {
    for (const block of blocks) await follow(block);
    await expect(second).resolves.toBeTypeOf('string');
    second = Promise.resolve('');
  });
});

async function follow({ language, text, prints, isInSecondTerminal }: Block): Promise<void> {
  const own = text.replaceAll('.signalbox/', `${dir}/`);
  if (language === 'chat') return converse(own);
  if (language !== 'sh') return;
  if (own.trim() === 'npm start') return restart();
  if (isInSecondTerminal) {
    second = run(own);
    second.catch(() => undefined); // the end of the page reports it
    return;
  }
  const output = await run(own);
  for (const line of prints) expect(output).toMatch(toPattern(line));
}

/** Plays the lines of a chat. What Signalbox says has to contain each of its lines, in the chat of whoever spoke last. */
async function converse(text: string): Promise<void> {
  let speaker = 'Ben';
  for (const line of text.trim().split('\n')) {
    const [, name = '', words = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (name !== 'Signalbox') {
      speaker = name;
      const chat = await open(name);
      const button = /^\[(.+)\]$/.exec(words)?.[1];
      const { messages, notice } = await (button ? press(chat.session, button) : chat.session.say(words));
      chat.heard = [...messages.map((message) => message.text), notice].join('\n');
      continue;
    }
    const chat = await open(speaker);
    const isSaid = async (): Promise<boolean> => {
      for (const message of await chat.session.catchUp()) chat.heard += `\n${message.text}`;
      return toPattern(words).test(chat.heard);
    };
    await until(isSaid, times.limitMs).catch(() => {
      throw new Error(`${speaker} does not read “${words}” but:\n${chat.heard}`);
    });
  }
}

/** Presses a button, once its message is there. */
async function press(session: ChatSession, button: string): Promise<BotReaction> {
  let reaction: BotReaction | null = null;
  await until(async () => {
    reaction = await session.press(button).catch(() => null);
    return reaction !== null;
  }, times.limitMs);
  return reaction ?? { messages: [], notice: '', settled: false };
}

async function open(name: string) {
  const known = chats.get(name);
  if (known) return known;
  const person = PEOPLE[name] ?? NaN;
  const record = readLiveRunRecord(dir);
  if (!record?.simulatorUrl) throw new Error('nothing runs');
  const simulator = createSimulatorClient(record.simulatorUrl);
  const activity = openChatActivity(record.databaseUrl, String(person));
  const speaker = await simulator.findSpeaker(person, undefined);
  const opened = { session: await openChatSession({ simulator, activity, speaker, times }), activity, heard: '' };
  chats.set(name, opened);
  return opened;
}

/** Runs a block in a shell at the checkout. What it exports is there for the next one. */
async function run(block: string): Promise<string> {
  const state = join(dir, 'exported.sh');
  const script = `touch ${state}; . ${state}; ${block}\nexport -p > ${state}`;
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: getCheckoutPath(),
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const timer = setTimeout(() => process.kill(-Number(child.pid), 'SIGKILL'), BLOCK_TIMEOUT_MS); // with what it has started
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  if (code !== 0) throw new Error(`exit code ${code} of\n${block}\n${output}`);
  return output;
}

/** Ends the product, if it runs, and starts it again. */
async function restart(): Promise<void> {
  if (hasStarted && product === null) return;
  await stop();
  const bootstrap = join(getCheckoutPath(), 'infra/local/bootstrap.mjs');
  const child = spawn(process.execPath, [bootstrap, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  product = child;
  await until(() => /Ctrl-C\n/.test(output) || child.exitCode !== null, START_TIMEOUT_MS);
  expect(output).toMatch(/^ready in /m);
  hasStarted = true;
}

async function stop(): Promise<void> {
  for (const { activity } of chats.values()) await activity.close();
  chats = new Map();
  if (product?.exitCode !== null) return;
  const ended = once(product, 'close');
  product.kill('SIGINT');
  await ended;
}

/** A text that has to be contained; `…` stands for anything on its line. */
function toPattern(text: string): RegExp {
  return new RegExp(
    text
      .split('…')
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
      .join('.*'),
  );
}
