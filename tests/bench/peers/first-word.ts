/*
 * What a person sees while a model answers: the milliseconds until "typing", until the model is asked, and from the model's first word to
 * its draft, all at the simulated Telegram. Production builds as `npm start` runs them, a model server that thinks and then writes slowly,
 * and people who all write at the same moment.
 */
import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSimulator } from '@signalbox/telegram-simulator/server';
import { createSimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import { startBenchServers } from '../../support/bench-servers.ts';
import { createPen, startModelServer } from '../../support/model-server.ts';
import { until } from '../../support/until.ts';
import { percentile } from './figures.ts';
import { startProcess } from './processes.ts';

export interface WaitOptions {
  /** How many people write at the same moment. */
  readonly people: number;
  /** How often each of them writes; the first time warms up and does not count. */
  readonly rounds: number;
  /** How long the model thinks before its first word. */
  readonly thinkMs: number;
  /** The time between two words of the model. */
  readonly wordMs: number;
}

/** 50th and 95th percentiles in milliseconds. */
export interface WaitFigure {
  readonly p50: number;
  readonly p95: number;
}

export interface WaitFigures {
  /** From a person's message to "typing". */
  readonly typingMs: WaitFigure;
  /** From a person's message to the request at the model server. */
  readonly untilModelMs: WaitFigure;
  /** From the model's first word to the draft. */
  readonly firstWordMs: WaitFigure;
}

const PEOPLE_OF_A_TEAM = { people: 32, rounds: 4, thinkMs: 1_500, wordMs: 50 };
const FIRST_PERSON = 300_000;
const WORDS = `Good day! ${'lorem ipsum dolor sit amet '.repeat(8)}`.match(/\S+\s*/g) ?? [];
/** What the real Telegram allows, which is the default: the simulator of `npm start` allows more. */
const TELEGRAM_LIMITS = { TELEGRAM_SENDS_PER_SECOND: '28', TELEGRAM_CHAT_SENDS_PER_SECOND: '1' };
const LATE_MS = 60_000;
const DRAFTS: ReadonlySet<string> = new Set(['sendMessageDraft', 'sendRichMessageDraft']);
const MESSAGES: ReadonlySet<string> = new Set(['sendMessage', 'sendRichMessage']);

interface Wait {
  readonly person: number;
  readonly saidAt: number;
  askedAt: number;
  wordAt: number;
}

/** Measures in `dir`, which must be empty. Needs the built services. */
export async function measureFirstWord(dir: string, options: Partial<WaitOptions> = {}): Promise<WaitFigures> {
  const { people, rounds, thinkMs, wordMs } = { ...PEOPLE_OF_A_TEAM, ...options };
  const waits = new Map<string, Wait>();
  let asked = 0;
  let allAsked = createGate();
  const model = await startModelServer((messages) => {
    const text = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const wait = waits.get(/hello \d+ \d+/.exec(text)?.[0] ?? '');
    const pen = createPen();
    if (wait) wait.askedAt = now();
    asked += 1;
    if (asked % people === 0) allAsked.resolve();
    const begin = allAsked.promise;
    void (async () => {
      // Every answer begins at one moment: the worst that a channel with limits can meet.
      await begin;
      await sleep(thinkMs);
      if (wait) wait.wordAt = now();
      for (const word of WORDS) {
        pen.write(word);
        await sleep(wordMs);
      }
      pen.end();
    })();
    return { pieces: pen.pieces };
  });
  const simulator = await createSimulator({});
  const servers = await startBenchServers(dir, simulator.url);
  const ids = Array.from({ length: people }, (_, at) => FIRST_PERSON + at);
  await addUsers(servers.postgres.url, ids);
  const chat = createSimulatorClient(simulator.url);
  for (const id of ids) await chat.act('/api/people', { id, name: `P${id}` });
  const gateway = await startProcess(
    'gateway',
    ['services/gateway/dist/main.js'],
    servers.env('gateway', TELEGRAM_LIMITS),
  );
  const worker = await startProcess(
    'worker',
    ['services/worker/dist/main.js'],
    servers.env('worker', { MODEL: 'openai_compatible:test', OPENAI_COMPATIBLE_BASE_URL: model.url }),
  );
  const countMessages = async (): Promise<number> =>
    (await chat.calls()).filter(({ method }) => MESSAGES.has(method)).length;
  try {
    for (let round = 0; round < rounds; round++) {
      allAsked = createGate();
      const before = await countMessages();
      await Promise.all(
        ids.map(async (person) => {
          const text = `hello ${person} ${round}`;
          waits.set(text, { person, saidAt: now(), askedAt: Number.NaN, wordAt: Number.NaN });
          await chat.say(person, text);
        }),
      );
      await until(async () => (await countMessages()) >= before + people, LATE_MS);
      if (round === 0) waits.clear();
    }
    const calls = await chat.calls();
    const since = (wait: Wait, methods: ReadonlySet<string>, from: number): number =>
      (calls.find(({ chatId, method, at }) => chatId === wait.person && at >= from && methods.has(method))?.at ??
        Number.POSITIVE_INFINITY) - from;
    const all = [...waits.values()];
    return {
      typingMs: summarize(all.map((wait) => since(wait, new Set(['sendChatAction']), wait.saidAt))),
      untilModelMs: summarize(all.map(({ saidAt, askedAt }) => askedAt - saidAt)),
      firstWordMs: summarize(all.map((wait) => since(wait, DRAFTS, wait.wordAt))),
    };
  } finally {
    await Promise.all([gateway.stop(), worker.stop()]);
    await Promise.all([simulator.close(), model.close()]);
    await servers.stop();
  }
}

/** The clock by which the simulator notes its calls. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function summarize(values: readonly number[]): WaitFigure {
  return { p50: Math.round(percentile(values, 0.5)), p95: Math.round(percentile(values, 0.95)) };
}

async function addUsers(url: string, ids: readonly number[]): Promise<void> {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  await db.query(
    `insert into users (user_key, channel, name, role) select n::text, 'telegram', 'P' || n, 'developer' from unnest($1::int[]) n`,
    [ids],
  );
  await db.end();
}

function createGate(): { readonly promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((open) => (resolve = open));
  return { promise, resolve };
}
