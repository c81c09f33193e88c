import { createInterface, type Interface } from 'node:readline';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openChatActivity } from './chat-activity.ts';
import { formatJsonLines, formatPlain, openChatSession, type ChatSession, type BotReaction } from './chat-session.ts';
import { createSimulatorClient } from './chat-simulator.ts';
import { loadLocalConfig } from '../config.ts';
import { readLiveRunRecord, type RunRecord } from '../supervisor/instance.ts';
import { SetupError } from '../setup-error.ts';

// `npm run chat` sends messages as a person of the simulator and shows the bot's replies.

const USAGE = `Usage: npm run chat -- [--as 1001] [--chat ops] [--wait SECONDS] [--json] ["text" | --click "Approve"]
Without a text: a conversation in the terminal, or one message per line of what is piped in.
A line such as [Approve] presses the button of that name.`;

interface Request {
  readonly person: number;
  readonly chat: string | undefined;
  readonly text: string;
  readonly click: string | undefined;
  readonly limitMs: number;
  readonly format: typeof formatPlain;
}

try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const request = parseRequest(process.argv.slice(2));
  if (request === null) return void process.stdout.write(`${USAGE}\n`);
  const run = requireRun();
  const simulator = createSimulatorClient(run.simulatorUrl);
  const speaker = await simulator.findSpeaker(request.person, request.chat);
  const activity = openChatActivity(run.databaseUrl, String(request.person));
  try {
    const times = { quietMs: 1_500, limitMs: request.limitMs };
    const session = await openChatSession({ simulator, activity, speaker, times });
    if (request.click !== undefined) return await show(request, session.press(request.click));
    if (request.text !== '') return await show(request, session.say(request.text));
    if (process.stdin.isTTY) return await converse(request, session);
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() !== '') await show(request, submitLine(session, line));
    }
  } finally {
    await activity.close();
  }
}

/** Parses the command line. Returns null for --help. */
function parseRequest(args: string[]): Request | null {
  const options = {
    as: { type: 'string', default: '1001' },
    chat: { type: 'string' },
    click: { type: 'string' },
    wait: { type: 'string', default: '60' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  const { values, positionals } = parseWords(() => parseArgs({ args, options, allowPositionals: true }));
  if (values.help) return null;
  const person = Number(values.as);
  const seconds = Number(values.wait);
  if (!Number.isSafeInteger(person))
    throw new SetupError(`--as ${values.as} is not a person's number.`, { remedy: USAGE });
  if (!(seconds > 0)) throw new SetupError(`--wait ${values.wait} is not a number of seconds.`, { remedy: USAGE });
  const text = positionals.join(' ');
  if (text !== '' && values.click !== undefined) {
    throw new SetupError('Give a text or --click, not both.', { remedy: USAGE });
  }
  const format = values.json ? formatJsonLines : formatPlain;
  return { person, chat: values.chat, text, click: values.click, limitMs: seconds * 1000, format };
}

function parseWords<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new SetupError(describeError(cause), { remedy: USAGE, cause });
  }
}

function requireRun(): RunRecord & { readonly simulatorUrl: string } {
  const run = readLiveRunRecord(resolve(loadLocalConfig().SIGNALBOX_DATA_DIR));
  if (run === null)
    throw new SetupError('Signalbox is not running.', { remedy: 'Start it in another terminal: npm start' });
  const { simulatorUrl } = run;
  if (simulatorUrl !== null) return { ...run, simulatorUrl };
  throw new SetupError('Signalbox is connected to the real Telegram: write to your bot there.', {
    remedy: 'For a chat in the terminal, start it without TELEGRAM_BOT_TOKEN.',
  });
}

function submitLine(session: ChatSession, line: string): Promise<BotReaction> {
  const button = /^\[(.+)\]$/.exec(line.trim())?.[1];
  return button === undefined ? session.say(line) : session.press(button);
}

async function show(request: Request, exchange: Promise<BotReaction>): Promise<void> {
  const result = await exchange;
  process.stdout.write(request.format(result));
  if (!result.settled) process.stderr.write(`(still working after ${request.limitMs / 1000} s)\n`);
}

async function converse(request: Request, session: ChatSession): Promise<void> {
  const { person } = request;
  process.stdout.write(`You are ${person}. [Button] presses a button, Ctrl-D leaves.\n\n`);
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: `${person}> ` });
  const state = { answering: false };
  const leaving = new AbortController();
  const complain = (error: unknown): void => void process.stderr.write(`${describeError(error)}\n`);
  const watching = showUnasked(request, session, { state, lines, signal: leaving.signal }).catch(complain);
  lines.prompt();
  for await (const line of lines) {
    state.answering = true;
    if (line.trim() !== '') {
      await show(request, submitLine(session, line)).catch(complain);
    }
    state.answering = false;
    lines.prompt();
  }
  leaving.abort();
  await watching;
}

/** Shows messages that the bot sends between replies, such as progress or approval requests. */
async function showUnasked(
  request: Request,
  session: ChatSession,
  terminal: {
    readonly state: { readonly answering: boolean };
    readonly lines: Interface;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { state, lines, signal } = terminal;
  while (!signal.aborted) {
    await delay(1_000, undefined, { signal }).catch(() => undefined);
    if (state.answering || signal.aborted) continue;
    const messages = await session.catchUp().catch(() => []); // the next message of the person reports the error
    if (messages.length === 0) continue;
    process.stdout.write(`\r\u001b[K${request.format({ messages, notice: '' })}`);
    lines.prompt(true);
  }
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
