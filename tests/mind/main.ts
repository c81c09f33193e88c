import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { loadTestConfig } from '../support/config.ts';
import { countCacheable, describeAccount, findCause } from './accounting.ts';
import { openLive, runLive, writeWhole, type Live } from './live.ts';
import { describeRequest } from './request.ts';
import { Answer } from './seat.ts';
import { addStep, locateRequest, readRequests, readSteps, SESSION_FILES } from './session.ts';

// `npm run mind`: whoever runs it sits in the seat of the model. See docs/mind.md.

const USAGE = `Usage: npm run mind -- COMMAND
  start [NAME]       starts the product with you as its model (the default); a session of that name goes on
  say WHO ["words"] [--file PATH] [--chat ops]     a person writes: 1001 Ada, 1002 Ben, 1003 Cleo, 1004 Dara, 1005 Eli
  press WHO LABEL|NUMBER [--chat ops]              a person presses a button
  show [N] [--whole] what is new in the newest request, or in that one
  answer [N] < FILE  {"content", "tool_calls": [{"name", "arguments"}], "finish_reason"} or {"status", "error"}
  wait [SECONDS]     until something comes
  count [NAME…]      calls, tokens and taps of this session, or of those
  save NAME          keeps the session as a test
  accept NAME        plays a kept session again and keeps what comes of it`;

const mindDir = join(loadTestConfig().dataDir, 'mind');
const pointer = join(mindDir, 'current');
const print = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const options = { chat: { type: 'string' }, file: { type: 'string' }, whole: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [command = 'start', first = '', ...rest] = positionals;
  if (command === 'start') return start(first || new Date().toISOString().slice(0, 16).replaceAll(':', '-'));
  const folder = join(mindDir, readPointer());
  if (command === 'count') count(first === '' ? [folder] : [first, ...rest].map((name) => join(mindDir, name)));
  else if (command === 'show') show(folder, Number(first) || readRequests(folder).all.length, values.whole);
  else await act(folder, command, { ...values, first, words: rest.join(' ') });
  return 0;
}

interface Words {
  readonly first: string;
  readonly words: string;
  readonly chat?: string | undefined;
  readonly file?: string | undefined;
}

async function act(folder: string, command: string, { first, words, chat, file }: Words): Promise<void> {
  const live = await openLive(folder);
  const who = { as: Number(first), ...(chat === 'ops' ? { chat: 'ops' as const } : {}) };
  try {
    if (command === 'save') return await save(live, first);
    if (command === 'answer') await answer(live, Number(first));
    else if (command === 'press') {
      const label = /^\d+$/.test(words) ? await live.people.findLabel(who.as, Number(words), who.chat) : words;
      await live.act({ ...who, press: label });
    } else if (command === 'say' && file !== undefined) {
      cpSync(file, join(folder, SESSION_FILES.files, basename(file)));
      await live.act({ ...who, say: words, file: basename(file) });
    } else if (command === 'say') await live.act({ ...who, say: words });
    else if (command !== 'wait') throw new Error(USAGE);
    process.stdout.write(await live.settle(command === 'wait' ? (Number(first) || 60) * 1_000 : undefined));
  } finally {
    await live.close();
  }
  const { open } = readRequests(folder);
  const next = open.at(-1);
  if (next === undefined) return print('(no request waits)');
  if (open.length > 1) print(`(these requests wait: ${open.join(', ')})`);
  show(folder, next);
}

function count(folders: readonly string[]): void {
  print(describeAccount(folders.map((one) => ({ requests: readRequests(one).all, steps: readSteps(one) }))));
}

function readPointer(): string {
  if (!existsSync(pointer)) throw new Error('No session was started. Start one in another terminal: npm run mind');
  return readFileSync(pointer, 'utf8');
}

async function start(name: string): Promise<number> {
  const folder = join(mindDir, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(pointer, name);
  print(`session ${name} in ${folder}; when it is ready, in another terminal: npm run mind -- say 1002 "hello"`);
  return runLive(folder);
}

async function answer(live: Live, wanted: number): Promise<void> {
  const { all, open } = readRequests(live.folder);
  const request = all.find(({ n }) => n === (wanted || open.at(-1)));
  if (!request || !open.includes(request.n)) throw new Error('No such request waits.');
  const given = Answer.parse(JSON.parse(await text(process.stdin)));
  addStep(live.folder, { request: request.n, form: request.form, answer: given, ...(await live.count()) });
  writeWhole(locateRequest(live.folder, request.n, 'answer'), JSON.stringify(given));
}

function show(folder: string, n: number, isWhole = false): void {
  const { all } = readRequests(folder);
  const [request, earlier] = [all.find((one) => one.n === n), all.filter((one) => one.n < n)];
  if (!request) throw new Error(`There is no request ${n}.`);
  const { system, tools, conversation, total } = request.tokens;
  process.stdout.write(describeRequest(request, isWhole ? [] : earlier));
  print(
    `${total} tokens: tools ${tools}, system ${system}, conversation ${conversation}; ${countCacheable(request, earlier)} cacheable`,
  );
  print(`cause: ${findCause(request, undefined)}`);
}

/** Keeps the session's steps and files in the folder of the tests. */
async function save({ folder, count: countAll }: Live, name: string): Promise<void> {
  if (!/^[\w-]+$/.test(name)) throw new Error('Give the name of the test: npm run mind -- save NAME');
  const target = join(getCheckoutPath(), 'tests/mind/sessions', name);
  for (const part of [SESSION_FILES.steps, SESSION_FILES.files])
    if (existsSync(join(folder, part))) cpSync(join(folder, part), join(target, part), { recursive: true });
  addStep(target, await countAll());
  print(`kept in ${target}; play it, and keep its requests: npm run mind -- accept ${name}`);
}
