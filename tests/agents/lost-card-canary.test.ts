import { sleep } from '@signalbox/contracts/time';
import { createLog } from '@signalbox/platform/log';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findLeaks, readRedis, readTables, type Place } from '../support/leak-search.ts';
import { startModelServer, type AskedMessage, type ModelAnswer, type ModelServer } from '../support/model-server.ts';
import { openOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts';
import type { Speaker } from '../support/speakers.ts';
import { eventually } from '../support/until.ts';
import { codeIn, openCardsBench, otherCode, type CardsBench, type Customer } from './cards-bench.ts';

const PEOPLE = 10;
/** Each time a person is sent a code they guess twice, type the right one in two pieces, and say it once more when it is over. */
const ROUNDS = 3;
/** So many codes stand in one message that guesses. */
const GUESSES = 8;
const CARDS_EACH = 50;
const CARDS_AT_ONCE = 5;
/** So many numbers a model writes to each person, which nobody told it. */
const CARDS_WRITTEN = 4;
/** A draft is shown at most three times in a second: a number that takes longer to write is shown before it is whole. */
const PIECE = { letters: 3, everyMs: 70 };

let bench: CardsBench;
let model: ModelServer;
let receiver: OtlpReceiver;
const lines: string[] = [];
const prompts: string[] = [];
const cards: string[] = [];
/** What a model writes, beside what people have typed. */
const written: string[] = [];
const codes = new Set<string>();
let places: readonly Place[];

/** Numbers with a right check digit, of four issuers, in the ways in which people write them. */
function makeCard(index: number): { readonly digits: string; readonly typed: string } {
  const [prefix, length] = (
    [
      ['4539', 16],
      ['5425', 16],
      ['3714', 15],
      ['6011', 16],
    ] as const
  )[index % 4] ?? ['4539', 16];
  const body = `${prefix}${String((index * 7_919 + 104_729) % 1_000_003).padStart(7, '0')}`.padEnd(length - 1, '8');
  const digits = `${body}${checkDigit(body)}`;
  const groups = length === 15 ? [4, 10] : [4, 8, 12];
  const cut = [0, ...groups, length];
  const pieces = cut.slice(1).map((end, place) => digits.slice(cut[place], end));
  return { digits, typed: pieces.join(['', ' ', '-', '.', '\u00a0'][index % 5]) };
}

function checkDigit(body: string): number {
  const sum = [...body].toReversed().reduce((total, digit, place) => {
    const doubled = place % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

async function readCode(phone: Speaker, before: number): Promise<string> {
  const isNew = (texts: readonly string[]): boolean => texts.slice(before).some((text) => /\b\d{6}\b/.test(text));
  return codeIn((await eventually(() => phone.heard(), isNew, 60_000)).slice(before));
}

/** A person who types numbers of cards into sentences, and answers codes in many ways. */
async function typeAway(who: Customer, index: number): Promise<void> {
  const phone = await who.whatsApp();
  for (let place = 0; place < CARDS_EACH; place += CARDS_AT_ONCE) {
    const made = Array.from({ length: CARDS_AT_ONCE }, (_, offset) => makeCard(index * CARDS_EACH + place + offset));
    cards.push(...made.map(({ digits }) => digits));
    await who.person.ask(`about ${made.map(({ typed }) => typed).join(' and ')}: what now?`);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = (await phone.heard()).length;
    await who.reports();
    const code = await readCode(phone, before);
    const wrong = Array.from({ length: GUESSES * 2 }, (_, place) => otherCode(code, 1 + place * 37));
    for (const typed of [...wrong, code]) codes.add(typed);
    await who.person.ask(`is it ${wrong.slice(0, GUESSES).join(' or ')}?`);
    await who.person.ask(`then it is ${wrong.slice(GUESSES).join(', ')}`);
    await who.person.ask(`${code.slice(0, 3)} ${code.slice(3)}`);
    await who.person.ask(`it was ${code}, was it not`);
    // The next round begins as the next hour would.
    await bench.pool.query(
      `update card_step_ups set created_at = created_at - interval '2 hours' where user_key = $1`,
      [String(who.person.id)],
    );
    await bench.pool.query(`delete from card_verifications where user_key = $1`, [String(who.person.id)]);
  }
}

/** A person who reads along while a model writes. */
async function readAlong({ person }: Customer): Promise<void> {
  await person.ask('/agent product_owner');
  const made = makeCard(cards.length);
  cards.push(made.digits);
  await person.ask(`tell me of ${made.typed} again`);
}

/** The model of lost_card understands nothing; that of product_owner repeats what it is told and adds numbers, slowly. */
function answer(messages: readonly AskedMessage[], tools: readonly string[]): ModelAnswer {
  prompts.push(JSON.stringify(messages));
  if (tools.includes('classify_intent'))
    return { toolCalls: [{ name: 'classify_intent', args: { task_summary: '', capabilities: [], project: null } }] };
  if (tools.includes('choose_acts')) return { toolCalls: [{ name: 'choose_acts', args: { acts: [] } }] };
  const from = PEOPLE * (CARDS_EACH + 1) + written.length;
  const made = Array.from({ length: CARDS_WRITTEN }, (_, place) => makeCard(from + place));
  written.push(...made.map(({ digits }) => digits));
  const heard = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return { pieces: writeSlowly(`${heard} And ${made.map(({ typed }) => typed).join(' and ')} too.`) };
}

async function* writeSlowly(text: string): AsyncIterable<string> {
  for (let at = 0; at < text.length; at += PIECE.letters) {
    yield text.slice(at, at + PIECE.letters);
    await sleep(PIECE.everyMs);
  }
}

/** What the channel was given for people: messages, drafts, edits. */
async function readChannel(): Promise<readonly Place[]> {
  const answered = await fetch(`${bench.stack.simulatorUrl}/api/calls`);
  const calls = (await answered.json()) as readonly { readonly method: string; readonly params: unknown }[]; // as it documents
  return calls.map(({ method, params }) => ({ where: `telegram ${method}`, text: JSON.stringify(params) }));
}

beforeAll(async () => {
  const log = createLog('test', 'debug', { write: (line: string) => void lines.push(line) });
  model = await startModelServer(answer);
  receiver = await openOtlpReceiver();
  bench = await openCardsBench({
    log,
    env: {
      MODEL: 'openai',
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.url,
      TELEGRAM_DRAFT_INTERVAL_MS: '50',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    },
  });
  const people = await Promise.all(Array.from({ length: PEOPLE }, (_, index) => bench.customer(3_000 + index)));
  await Promise.all(people.map(typeAway));
  await Promise.all(people.map(readAlong));
  await bench.stack.stop(); // the last spans are sent
  places = [
    ...(await readTables(bench.pool)),
    ...(await readRedis(bench.stack.redisUrl, bench.stack.prefix)),
    ...lines.map((text) => ({ where: 'log', text })),
    ...prompts.map((text) => ({ where: 'prompt', text })),
    // How long a request is has six digits as well.
    ...receiver.requests.map(({ body, headers }) => ({
      where: 'trace',
      text: JSON.stringify([{ ...headers, 'content-length': '' }, body]),
    })),
    ...(await readChannel()),
  ];
}, 600_000);
afterAll(async () => {
  await bench.close();
  await Promise.all([model.close(), receiver.close()]);
});

function drafts(): readonly Place[] {
  return places.filter(({ where }) => /draft/i.test(where));
}

/** Where a number of a card stands, however its digits are grouped. */
function findCards(where: readonly Place[]): readonly string[] {
  const wanted = new Set([...cards, ...written]);
  return where.flatMap(({ where: place, text }) => {
    const runs = [...text.matchAll(/\d(?:[ .\u00a0-]?\d){12,}/g)].map(([run]) => run.replace(/\D/g, ''));
    return runs.filter((run) => wanted.has(run)).map((run) => `${place}: ${run}`);
  });
}

/** Six digits come by chance in fractions of seconds and in the middle of ids and of other numbers: a code stands by itself. */
function findCodes(where: readonly Place[]): readonly string[] {
  return where.flatMap(({ where: place, text }) => {
    const plain = text.replace(/\d\d:\d\d:\d\d\.\d+/g, '');
    const found = [...plain.matchAll(/(?<![\p{L}\p{N}.+-])\d{3} ?\d{3}(?![\p{L}\p{N}]|\.\d)/gu)].map(
      ([match]) => match,
    );
    return found.filter((one) => codes.has(one.replace(' ', ''))).map((one) => `${place}: ${one}`);
  });
}

it('each of a thousand typed card numbers and codes was recognized as a card number or code', async () => {
  expect(new Set(cards).size).toBe(PEOPLE * (CARDS_EACH + 1));
  expect(new Set(written).size).toBe(PEOPLE * CARDS_WRITTEN);
  expect(codes.size).toBeGreaterThanOrEqual(500);
  const { rows } = await bench.pool.query(`select count(*)::int as count from secrets where kind = 'card-number'`);
  expect(rows).toEqual([{ count: PEOPLE * (CARDS_EACH + 1) }]);
  const { rows: verified } = await bench.pool.query(`select 1 from card_step_ups where status = 'verified'`);
  expect(verified).toHaveLength(PEOPLE * ROUNDS);
  expect(prompts.length).toBeGreaterThanOrEqual(PEOPLE);
  expect(new Set(places.map(({ where }) => where)).size).toBeGreaterThan(20);
  expect(drafts().length).toBeGreaterThanOrEqual(PEOPLE);
  expect(receiver.spans.length).toBeGreaterThanOrEqual(PEOPLE * CARDS_EACH);
});

it('no card number is in a table, a Redis key, a log line, a prompt, a trace, a message or a draft', () => {
  expect(findCards(places)).toEqual([]);
});

it('no draft shows more digits of a card number than a person may see', () => {
  const shown = drafts().flatMap(({ text }) =>
    [...text.matchAll(/\d(?:[ .\u00a0-]?\d){6,}/g)].map(([run]) => run.replace(/\D/g, '')),
  );
  const begins = new Set([...cards, ...written].map((card) => card.slice(0, 7)));
  expect(shown.filter((run) => begins.has(run.slice(0, 7)))).toEqual([]);
});

it('no code is in a table, a Redis key, a log line, a prompt, a trace, a message or a draft', () => {
  expect(findCodes(places)).toEqual([]);
});

it('no card number or code is stored as JSON, base64, percent-encoded text or hexadecimal digits', () => {
  const some = cards.filter((_, place) => place % 20 === 0);
  const encoded = [...codes].flatMap((code, place) =>
    place % 10 === 0 ? [Buffer.from(code).toString('base64'), Buffer.from(code).toString('hex')] : [],
  );
  expect([...new Set(findLeaks(places, [...some, ...encoded]))]).toEqual([]);
});

it('the search for leaked card numbers and codes finds a planted number and a planted code', async () => {
  const [code = ''] = codes;
  const [card = ''] = cards;
  await bench.pool.query(`insert into settings (key, value) values ('leak', $1)`, [
    JSON.stringify(`the code ${code}, the card ${card.slice(0, 4)} ${card.slice(4)}`),
  ]);
  const now = await readTables(bench.pool);
  await bench.pool.query(`delete from settings where key = 'leak'`);
  expect(findCodes(now)).toEqual([`settings: ${code}`]);
  expect(findCards(now)).toEqual([`settings: ${card}`]);
});
