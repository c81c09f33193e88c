import { LANGUAGES } from '../language.ts';
import type { EveryWord, WhenWords } from './when-patterns.ts';
import { WHEN_WORDS } from './when-words.ts';

/** When something happens: again and again, or once. Times are those of the clock in the zone. */
export type When =
  | { readonly kind: 'cron'; readonly pattern: string }
  /** At a local time such as `2026-11-29T08:00`. */
  | { readonly kind: 'once'; readonly local: string }
  /** After so many days, or on the next such weekday (0: Sunday); the next time of that hour when both are null. */
  | {
      readonly kind: 'day';
      readonly days: number | null;
      readonly weekday: number | null;
      readonly hour: number;
      readonly minute: number;
    }
  | { readonly kind: 'after'; readonly ms: number };

/** What a text says about time. */
export interface WhenReading {
  readonly when: When;
  /** The zone that the text names; null for none. */
  readonly zone: string | null;
  readonly language: string;
  /** False when the hour, or its half of the day, is the usual one and not said. */
  readonly saysHour: boolean;
  /** The text in which each part about time is one NUL. */
  readonly rest: string;
}

/** Hours of the day where a text says only the part of the day. */
const HOURS: Readonly<Record<EveryWord, number>> = {
  day: 9,
  weekday: 9,
  weekend: 9,
  night: 2,
  morning: 8,
  noon: 12,
  evening: 18,
  hour: 0,
  week: 9,
  month: 9,
};
const USUAL_HOUR = 9;
/** Stands for what was read already. */
const READ = '\0';
const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
const ZONE =
  /(?:\bin )?(?<![\p{L}/])((?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)\/[A-Za-z_]{2,30}(?:\/[A-Za-z_]{2,30})?|UTC|GMT)(?: time)?(?![\p{L}/])/u;
const CRON = /^[\d*/,\-L#A-Z]{1,40}(?: [\d*/,\-L#A-Z]{1,40}){4}$/i;
const LOCAL = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::00)?)?$/;
const DATE = /(?:\bon |\bam |\bel )?(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)/;

/**
 * Reads when something has to happen: a cron pattern of five fields, a local time, or words of any supported language. Null when the text
 * says no time that is understood. Pure.
 */
export function readWhen(text: string): WhenReading | null {
  const exact = readExact(text.trim());
  if (exact) return { when: exact, zone: null, language: 'en', rest: READ, saysHour: text.includes(':') };
  const readings = LANGUAGES.flatMap((language) => readInLanguage(text, language) ?? []);
  // The language that explains most of the text.
  return readings.toSorted((a, b) => countLetters(a.rest) - countLetters(b.rest))[0] ?? null;
}

/** True when a text speaks of a repetition in any language, understood or not. Pure. */
export function saysRepetition(text: string): boolean {
  return Object.values(COMPILED).some(({ anyRepeat }) => anyRepeat.test(text));
}

function readExact(text: string): When | null {
  if (CRON.test(text) && /^[\d*]/.test(text)) return { kind: 'cron', pattern: text.toUpperCase() };
  const [, date, time = `0${USUAL_HOUR}:00`] = LOCAL.exec(text) ?? [];
  return date === undefined ? null : { kind: 'once', local: `${date}T${time}` };
}

function readInLanguage(text: string, language: string): WhenReading | null {
  const form = COMPILED[language];
  if (!form) return null;
  const cursor = { text };
  const zone = take(cursor, ZONE)?.[1] ?? null;
  const repeated = takeRepetition(cursor, form);
  const day = repeated ? null : takeDay(cursor, form);
  const time = takeTime(cursor, form);
  const saysHour = time !== null && (time.isExact || time.hasMinutes || day !== null);
  const found = { zone, language, rest: cursor.text, saysHour };
  if (repeated) {
    const when = toCron(repeated, time);
    return when && { ...found, when };
  }
  if (day?.kind === 'after') return { ...found, when: day, saysHour: true };
  if (day?.kind === 'date') {
    const local = `${day.date}T${pad(time?.hour ?? USUAL_HOUR)}:${pad(time?.minute ?? 0)}`;
    return { ...found, when: { kind: 'once', local } };
  }
  if (day === null && time === null) return null;
  const { days, weekday } = day ?? { days: null, weekday: null };
  const isLate = time !== null && !time.isExact && time.hour < 12 && (day?.hour ?? 0) >= 12; // “this afternoon at 4”
  const hour = (time?.hour ?? day?.hour ?? USUAL_HOUR) + (isLate ? 12 : 0);
  return { ...found, when: { kind: 'day', days, weekday, hour, minute: time?.minute ?? 0 } };
}

interface Cursor {
  text: string;
}

/** Takes a pattern out of the text; null when it is not there. */
function take(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  const found = pattern.exec(cursor.text);
  if (!found) return null;
  const { index } = found;
  cursor.text = `${cursor.text.slice(0, index)}${READ}${cursor.text.slice(index + found[0].length)}`;
  return found;
}

type Repetition =
  | { readonly kind: 'minutes'; readonly count: number }
  | { readonly kind: 'hours'; readonly count: number }
  | { readonly kind: 'days'; readonly word: EveryWord; readonly month: string; readonly week: string };

function takeRepetition(cursor: Cursor, form: Compiled): Repetition | null {
  const monthDay = take(cursor, form.everyMonthDay);
  const dom = monthDay?.slice(1).find((one) => one !== undefined);
  if (dom !== undefined) return { kind: 'days', word: 'month', month: dom, week: '*' };
  const days = take(cursor, form.everyDay);
  const names = days?.slice(1).find((one) => one !== undefined);
  if (names !== undefined) return { kind: 'days', word: 'day', month: '*', week: readWeekdays(names, form).join(',') };
  const [, number, unit] = take(cursor, form.everyCount) ?? [];
  if (number !== undefined && unit !== undefined) return toCountedRepetition(readNumber(number, form), unit, form);
  for (const [word, pattern] of form.every) {
    if (!take(cursor, pattern)) continue;
    if (word === 'hour') return { kind: 'hours', count: 1 };
    const week = { weekday: '1-5', weekend: '0,6', week: '1' }[word as string] ?? '*';
    return { kind: 'days', word, month: word === 'month' ? '1' : '*', week };
  }
  return null;
}

/** Every so many minutes or hours, when they fill an hour or a day; every so many days or weeks has no cron pattern. */
function toCountedRepetition(count: number, unit: string, form: Compiled): Repetition | null {
  const name = findUnit(unit, form);
  if (name === 'minute') return 60 % count === 0 && count < 60 ? { kind: 'minutes', count } : null;
  if (name === 'hour') return 24 % count === 0 ? { kind: 'hours', count } : null;
  return count === 1 ? { kind: 'days', word: name, month: '*', week: name === 'week' ? '1' : '*' } : null;
}

function toCron(repeated: Repetition, time: ClockTime | null): When | null {
  if (repeated.kind === 'minutes') return { kind: 'cron', pattern: `*/${repeated.count} * * * *` };
  if (repeated.kind === 'hours')
    return {
      kind: 'cron',
      pattern: `${time?.minute ?? 0} ${repeated.count === 1 ? '*' : `*/${repeated.count}`} * * *`,
    };
  const { word, month, week } = repeated;
  const hour = time === null ? HOURS[word] : time.hour + (isAfterNoon(word, time) ? 12 : 0);
  return { kind: 'cron', pattern: `${time?.minute ?? 0} ${hour} ${month} * ${week}` };
}

/** “Every evening at 8” is 20:00, and “every night at 11” 23:00; “every night at 2” is 2:00. */
function isAfterNoon(word: EveryWord, { hour, isExact }: ClockTime): boolean {
  return !isExact && hour < 12 && (word === 'evening' || (word === 'night' && hour > 6));
}

type DayWords =
  | { readonly kind: 'after'; readonly ms: number }
  | { readonly kind: 'date'; readonly date: string }
  | {
      readonly kind: 'day';
      readonly days: number | null;
      readonly weekday: number | null;
      readonly hour: number | null;
    };

function takeDay(cursor: Cursor, form: Compiled): DayWords | null {
  const date = take(cursor, DATE)?.[1];
  if (date !== undefined) return { kind: 'date', date };
  for (const [pattern, days, hour] of form.single)
    if (take(cursor, pattern)) return { kind: 'day', days, weekday: null, hour };
  if (take(cursor, form.halfHour)) return { kind: 'after', ms: 30 * UNIT_MS.minute };
  const [, number = '', unit] = take(cursor, form.after) ?? [];
  if (unit !== undefined) {
    const count = number === '' ? 1 : readNumber(number, form);
    return { kind: 'after', ms: count * UNIT_MS[findUnit(unit, form)] };
  }
  const [, name] = take(cursor, form.nextDay) ?? [];
  const [weekday] = name === undefined ? [] : readWeekdays(name, form);
  return weekday === undefined ? null : { kind: 'day', days: null, weekday, hour: null };
}

interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  /** True when the half of the day is said, or the hour is one of twenty-four. */
  readonly isExact: boolean;
  readonly hasMinutes: boolean;
}

function takeTime(cursor: Cursor, form: Compiled): ClockTime | null {
  for (const [pattern, hour] of form.hours)
    if (take(cursor, pattern)) return { hour, minute: 0, isExact: true, hasMinutes: false };
  for (const pattern of form.time) {
    const before = cursor.text;
    const groups = take(cursor, pattern)?.groups;
    if (!groups) continue;
    const said = readNumber(groups['hour'] ?? '', form);
    const part = groups['part'] ?? groups['part2'] ?? '';
    const minutes = groups['minute'] ?? groups['minute2'];
    const minute = groups['half'] ? 30 : Number(minutes ?? 0);
    const isLate = part !== '' && form.evening.test(part) && said < 12;
    const isMidnight = part !== '' && form.morning.test(part) && said === 12;
    const hour = isMidnight ? 0 : said + (isLate ? 12 : 0);
    if (hour <= 23 && minute <= 59)
      return { hour, minute, isExact: part !== '' || said > 12, hasMinutes: minutes !== undefined };
    cursor.text = before;
  }
  return null;
}

function readWeekdays(names: string, form: Compiled): readonly number[] {
  return form.days.flatMap((pattern, day) => (pattern.test(names) ? [day] : []));
}

function readNumber(said: string, form: Compiled): number {
  if (/^\d+$/.test(said)) return Number(said);
  return form.numbers.findIndex((pattern) => pattern.test(said)) + 1;
}

function findUnit(said: string, form: Compiled): keyof typeof UNIT_MS {
  return form.units.find(([, pattern]) => pattern.test(said))?.[0] ?? 'minute';
}

function countLetters(text: string): number {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '').length;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/** The patterns of one language, ready for use. */
export type Compiled = ReturnType<typeof compile>;

/** Compiles a pattern of the words of a language. `isWhole`: for a text that is nothing else. */
function compilePattern(source: string, words: WhenWords, language: string, isWhole = false): RegExp {
  const any = (list: readonly string[]): string => `(?:${list.join('|')})`;
  const parts: Readonly<Record<string, string>> = {
    N: any(['\\d{1,3}', ...words.numbers.toReversed()]),
    H: any(['\\d{1,2}', ...words.numbers.toReversed()]),
    U: any(Object.values(words.units)),
    D: any(words.days),
    A: '(?=\\s{0,2}(?:$|[.!,\\0]|at\\b))',
  };
  const filled = source.replaceAll(/%([NHUDA])/g, (_, name: string) => parts[name] ?? '');
  if (isWhole) return new RegExp(`^(?:${filled})$`, 'iu');
  // Chinese has no spaces between words.
  return language === 'zh'
    ? new RegExp(filled, 'iu')
    : new RegExp(`(?<![\\p{L}\\p{N}])(?:${filled})(?![\\p{L}\\p{N}])`, 'iu');
}

function compile(words: WhenWords, language: string) {
  const pattern = (source: string): RegExp => compilePattern(source, words, language);
  const whole = (source: string): RegExp => compilePattern(source, words, language, true);
  return {
    days: words.days.map(pattern),
    numbers: words.numbers.map(whole),
    units: Object.entries(words.units).map(
      ([name, source]) => [name as keyof typeof UNIT_MS, whole(source)] as const, // the keys of the record
    ),
    every: Object.entries(words.every).map(
      ([name, source]) => [name as EveryWord, pattern(source)] as const, // the keys of the record
    ),
    everyCount: pattern(words.everyCount),
    everyDay: pattern(words.everyDay),
    everyMonthDay: pattern(words.everyMonthDay),
    after: pattern(words.after),
    halfHour: pattern(words.halfHour),
    time: words.time.map(pattern),
    morning: whole(words.morning),
    evening: whole(words.evening),
    single: words.single.map(([source, days, hour]) => [pattern(source), days, hour] as const),
    nextDay: pattern(words.nextDay),
    hours: words.hours.map(([source, hour]) => [pattern(source), hour] as const),
    remind: pattern(words.remind),
    order: pattern(words.order),
    tell: compilePattern(`${words.tell}(?=[\\s.!。]{0,3}$)`, words, 'zh'),
    recall: pattern(words.recall),
    keep: new RegExp(`^(?:[\\p{L},]{1,12} ){0,2}(?:${words.keep})`, 'iu'),
    anyRepeat: pattern(words.anyRepeat),
    always: pattern(words.always),
    wrong: pattern(words.wrong),
    remindEnd: words.remindEnd === undefined ? null : new RegExp(`\\s(?:${words.remindEnd})$`, 'iu'),
    joints: new RegExp(`^(?:${words.joints})(?![\\p{L}\\p{N}])`, 'iu'),
  };
}

export const COMPILED: Readonly<Record<string, Compiled>> = Object.fromEntries(
  Object.entries(WHEN_WORDS).map(([language, words]) => [language, compile(words, language)]),
);
