import { FORGER, makeHistory, recordedEvent, rehash, sign, type History } from './history.ts';

/** What was done, and what has to be said about it. */
export interface Tampering {
  readonly what: string;
  readonly seq: number;
  readonly problems: readonly string[];
}

export type Random = () => number;

/** A small generator whose seed can be printed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = (random: Random, from: number, to: number): number => from + Math.floor(random() * (to - from + 1));

const FIELDS = [
  'recordedAt',
  'kind',
  'actor',
  'threadId',
  'turnId',
  'actionId',
  'approvalId',
  'policyVersion',
  'eventId',
  'data',
] as const;

type Move = (history: History, random: Random) => Tampering;

const edit: Move = ({ places }, random) => {
  const seq = pick(random, 1, places.length);
  const event = places[seq - 1]?.event ?? {};
  const field = FIELDS[pick(random, 0, FIELDS.length - 1)] ?? 'actor';
  const before = event[field];
  if (field === 'data')
    event[field] = mangle(before as Record<string, unknown>, random); // made so by recordedEvent
  else event[field] = alter(field, before, random);
  return { what: `edit ${field} of ${seq}`, seq, problems: ['edited', 'rolled back'] };
};

function alter(field: string, before: unknown, random: Random): unknown {
  if (before === null) return 'x';
  if (field === 'recordedAt') return String(before).replace(/\d(?=Z)/, (digit) => String((Number(digit) + 1) % 10));
  const mayBeNull = field.endsWith('Id') && field !== 'eventId';
  return mayBeNull && random() < 0.3 ? null : `${String(before)}x`;
}

function mangle(data: Record<string, unknown>, random: Random): Record<string, unknown> {
  const choices: readonly (() => Record<string, unknown>)[] = [
    () => ({ ...data, n: Number(data['n']) + 1 }),
    () => ({ ...data, sentence: 'Reading changes nothing .' }),
    () => ({ ...data, arguments: { service: 'db', share: 0 } }),
    () => ({ ...data, added: null }),
    () => ({ rule: data['rule'], sentence: data['sentence'] }),
  ];
  return choices[pick(random, 0, choices.length - 1)]?.() ?? {};
}

const remove: Move = ({ places }, random) => {
  const seq = pick(random, 1, places.length - 1);
  places.splice(seq - 1, 1);
  return { what: `delete ${seq}`, seq, problems: ['missing'] };
};

const hollow: Move = ({ places }, random) => {
  const seq = pick(random, 1, places.length);
  const place = places[seq - 1];
  if (place) place.event = null;
  return { what: `delete the event at ${seq} and leave its place`, seq, problems: ['missing', 'truncated'] };
};

const insert: Move = ({ places }, random) => {
  const seq = pick(random, 1, places.length);
  const event = { ...recordedEvent(900_000 + seq), actor: '666' };
  const here = places[seq - 1];
  if (here) places.splice(seq - 1, 0, { ...here, event });
  return { what: `insert before ${seq}`, seq, problems: ['inserted', 'edited'] };
};

const swap: Move = ({ places }, random) => {
  const seq = pick(random, 1, places.length - 1);
  const other = pick(random, seq + 1, places.length);
  const [a, b] = [places[seq - 1], places[other - 1]];
  if (a && b) [a.event, b.event] = [b.event, a.event];
  return { what: `swap ${seq} and ${other}`, seq, problems: ['swapped'] };
};

const truncate: Move = (history, random) => {
  const left = pick(random, 0, history.places.length - 1);
  history.places.length = left;
  return { what: `truncate to ${left}`, seq: left + 1, problems: ['truncated', 'rolled back'] };
};

const rollBack: Move = (history, random) => {
  const left = pick(random, 0, history.places.length - 1);
  history.places.length = left;
  history.inside = history.inside.filter((checkpoint) => checkpoint.size <= left);
  return { what: `roll back to ${left}`, seq: left + 1, problems: ['rolled back'] };
};

/** An older state that went on differently, with as many events as before or more. */
const rewrite: Move = (history, random) => {
  const size = history.places.length;
  const left = pick(random, 0, size - 1);
  const other = makeHistory(size + pick(random, 0, 20), size);
  history.places = [...history.places.slice(0, left), ...other.places.slice(left)];
  for (const place of history.places.slice(left)) place.event = { ...place.event, actor: '666' };
  history.inside = history.inside.filter((checkpoint) => checkpoint.size <= left);
  return { what: `roll back to ${left} and go on from there`, seq: left + 1, problems: ['rolled back', 'edited'] };
};

const MOVES: readonly Move[] = [edit, edit, edit, remove, hollow, insert, swap, truncate, rollBack, rewrite];

/**
 * Does something to a history, and in two of three cases hides it as well as somebody can who may write the whole database and
 * knows how everything is computed, but has not got the signing key.
 */
export function tamper(history: History, random: Random): Tampering {
  const move = MOVES[pick(random, 0, MOVES.length - 1)] ?? edit;
  const done = move(history, random);
  const hidden = random();
  const isEmptyAnswer = history.places.some((place) => place.event === null);
  if (move === rewrite || (hidden < 0.67 && !isEmptyAnswer)) rehash(history);
  if (hidden >= 0.33 || isEmptyAnswer) return done;
  // The checkpoints of the database, too, are made to agree, with whatever key there is.
  const sizes = history.inside.map(({ size }) => size).filter((size) => size <= history.places.length);
  history.inside = sign(history, sizes, FORGER.privateKey).map(({ leaves: _leaves, ...checkpoint }) => checkpoint);
  return { ...done, what: `${done.what}, with forged checkpoints` };
}
