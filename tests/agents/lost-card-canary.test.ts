import { createLog } from '@signalbox/platform/log';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findLeaks, readRedis, readTables, type Place } from '../support/leak-search.ts';
import { createScriptedModels } from '../support/scripted-model.ts';
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

let bench: CardsBench;
const lines: string[] = [];
const prompts: string[] = [];
const cards: string[] = [];
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
    await who.does('report_fraud', { card: who.debit });
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

beforeAll(async () => {
  const log = createLog('test', 'debug', { write: (line: string) => void lines.push(line) });
  const models = createScriptedModels((messages) => {
    prompts.push(JSON.stringify(messages.map((message) => message.toDict())));
    return { toolCalls: [{ name: 'choose_action', args: { action: 'none', data: null } }] };
  });
  bench = await openCardsBench({ log, memberLogins: true, wiring: { models: () => Promise.resolve(models) } });
  const people = await Promise.all(Array.from({ length: PEOPLE }, (_, index) => bench.customer(3_000 + index)));
  await Promise.all(people.map(typeAway));
  places = [
    ...(await readTables(bench.pool)),
    ...(await readRedis(bench.stack.redisUrl, bench.stack.prefix)),
    ...lines.map((text) => ({ where: 'log', text })),
    ...prompts.map((text) => ({ where: 'prompt', text })),
  ];
}, 600_000);
afterAll(() => bench.close());

/** Where a number of a card stands, however its digits are grouped. */
function findCards(where: readonly Place[]): readonly string[] {
  const wanted = new Set(cards);
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

it('a thousand numbers and codes were typed, and each was understood as one', async () => {
  expect(new Set(cards).size).toBe(PEOPLE * CARDS_EACH);
  expect(codes.size).toBeGreaterThanOrEqual(500);
  const { rows } = await bench.pool.query(`select count(*)::int as count from secrets where kind = 'card-number'`);
  expect(rows).toEqual([{ count: PEOPLE * CARDS_EACH }]);
  const { rows: verified } = await bench.pool.query(`select 1 from card_step_ups where status = 'verified'`);
  expect(verified).toHaveLength(PEOPLE * ROUNDS);
  expect(prompts.length).toBeGreaterThanOrEqual(PEOPLE);
  expect(new Set(places.map(({ where }) => where)).size).toBeGreaterThan(20);
});

it('no number of a card is in a table, a key of Redis, a log line or a prompt', () => {
  expect(findCards(places)).toEqual([]);
});

it('no code is there either', () => {
  expect(findCodes(places)).toEqual([]);
});

it('none of them is there in JSON, base 64, percent-encoded or in hexadecimal digits', () => {
  const some = cards.filter((_, place) => place % 20 === 0);
  const encoded = [...codes].flatMap((code, place) =>
    place % 10 === 0 ? [Buffer.from(code).toString('base64'), Buffer.from(code).toString('hex')] : [],
  );
  expect([...new Set(findLeaks(places, [...some, ...encoded]))]).toEqual([]);
});

it('both would be found', async () => {
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
