import { BEFORE, BEGIN, CHINESE_SPAN, ENDING, LASTS, OPEN } from './end-words.ts';
import { readWhen, type WhenReading } from './read-when.ts';

/** When something ends by the words of a text. `until`: those words; null for an end that stays open, as “until further notice”. */
export interface EndReading {
  readonly until: string | null;
  /** The text without its words about the end. */
  readonly rest: string;
}

/** Where the words about an end are over at the latest. */
const CLAUSE = /[,;!?，。；！？]|[.:：](?!\d)/u;
/** Words between the parts of a time, and what is left of them. */
const JOINTS =
  /(?<!\p{L})(?:at|of|on|the|in|um|am|uhr|den|el|la|las|los|de|del|a|por|en|в|во|на|к|утра|часов|часа|час)(?!\p{L})|[点的在日号整]/giu;
const PREPOSITIONS = ['at', 'um', 'a las', 'в'];
const GENITIVES: readonly (readonly [RegExp, string])[] = [
  'двух 2',
  'тр[её]х 3',
  'четыр[её]х 4',
  'пяти 5',
  'шести 6',
  'семи 7',
  'восьми 8',
  'девяти 9',
  'десяти 10',
  'одиннадцати 11',
  'двенадцати 12',
  'завтрашн\\p{L}{2,3} завтра',
  'сегодняшн\\p{L}{2,3} сегодня',
].map((pair) => {
  const [form = '', plain = ''] = pair.split(' ');
  return [new RegExp(`(?<!\\p{L})${form}(?!\\p{L})`, 'iu'), plain] as const;
});

/** Reads the words of an end, with or without “until” before them; null when they name no moment, or more than a moment. Pure. */
export function readEndTime(words: string): WhenReading | null {
  const plain = GENITIVES.reduce((text, [form, other]) => text.replace(form, other), words)
    .replace(BEGIN, '')
    .replace(ENDING.last, '')
    .trim();
  const number = /(?<![\p{N}\p{L}:.-])(?=\d{1,2}(?![\d.-]))/u;
  const variants = [
    plain,
    ...PREPOSITIONS.flatMap((at) => [plain.replace(number, `${at} `), `${at.split(' ')[0] ?? ''} ${plain}`]),
  ];
  const readings = variants.flatMap((one) => readWhen(one) ?? []);
  const whole = readings.filter(
    ({ rest, when }) => when.kind !== 'cron' && !/[\p{L}\p{N}]/u.test(rest.replace(JOINTS, '')),
  );
  const [best] = whole.toSorted((one, other) => countLetters(one) - countLetters(other));
  return whole.find(({ saysHour }) => saysHour && best?.saysHour !== true) ?? best ?? null;
}

/** Finds what a text says about an end: “until monday at 9”, “for two hours”, “明早八点前”. Null when it names none. Pure. */
export function readEnd(text: string): EndReading | null {
  const open = OPEN.exec(text);
  if (open) return { until: null, rest: cut(text, open.index, open.index + open[0].length) };
  const lasts = LASTS.exec(text);
  if (lasts) {
    const [length = ''] = /^\S+\s+\S+/u.exec(text.slice(lasts.index + lasts[0].length)) ?? [];
    const span = length.replace(/[,.;!?]+$/, '');
    const until = PREFIXES.map((prefix) => `${prefix} ${span}`).find((one) => readWhen(one)?.when.kind === 'after');
    if (until !== undefined)
      return { until, rest: cut(text, lasts.index, lasts.index + lasts[0].length + span.length) };
  }
  const [span, count, unit] = CHINESE_SPAN.exec(text) ?? [];
  if (span !== undefined && readWhen(`${count ?? ''}${unit ?? ''}后`)?.when.kind === 'after')
    return { until: `${count ?? ''}${unit ?? ''}后`, rest: text.replace(span, ' ').trim() };
  const begin = BEGIN.exec(text);
  if (begin) {
    const from = begin.index + begin[0].length;
    const clause = text.slice(from, from + MAX_END_LENGTH);
    const stop = clause.search(CLAUSE);
    const whole = stop === -1 ? clause : clause.slice(0, stop);
    const moment = listBeginnings(whole).find((one) => readEndTime(one) !== null) ?? whole;
    // “Friday evening” names no hour: with its part of the day, it is asked back.
    const until = `${moment}${PART.exec(whole.slice(moment.length))?.[0] ?? ''}`;
    const to = from + until.length + (ENDING.first.exec(text.slice(from + until.length))?.[0].length ?? 0);
    return { until: until.trim(), rest: cut(text, begin.index, to) };
  }
  const before = BEFORE.exec(text);
  if (!before) return null;
  const clause = text.slice(Math.max(0, before.index - MAX_END_LENGTH), before.index);
  const until = [...clause].map((_, place) => clause.slice(place)).find((one) => readEndTime(one) !== null);
  if (until === undefined) return null;
  return { until, rest: cut(text, before.index - until.length, before.index + before[0].length) };
}

const countLetters = ({ rest }: WhenReading): number => rest.replaceAll(/[^\p{L}]/gu, '').length;

const PART =
  /^\s(?:morning|noon|afternoon|evening|night|mittag|abend|nacht|por la (?:tarde|noche)|noche|вечер\p{L}?|ночи|обед\p{L}?)(?!\p{L})/iu;
const MAX_END_LENGTH = 60;
const PREFIXES = ['in', 'en', 'через'];

/** Lists the beginnings of a text that end with a word, the longest first. A Chinese character is a word. */
function listBeginnings(text: string): readonly string[] {
  const ends = [...text.matchAll(/\p{Script=Han}|[^\s\p{Script=Han}]+/gu)].map((word) => word.index + word[0].length);
  return ends.toReversed().map((end) => text.slice(0, end));
}

function cut(text: string, from: number, to: number): string {
  return `${text.slice(0, from)} ${text.slice(to)}`.replace(/\s+/g, ' ').trim();
}
