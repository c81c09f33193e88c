import { findZone, resolveWhen } from '@signalbox/messages/schedule/next-runs';
import { readWhen } from '@signalbox/messages/schedule/read-when';

/** What a person typed after `/oncall set`; null for what they left out. */
export interface RotaWords {
  readonly name: string | null;
  readonly people: readonly string[];
  /** Day of the hand-over, null for every day, and its time. */
  readonly rhythm: { readonly weekday: number | null; readonly clock: string } | null;
  readonly zone: string | null;
  readonly minutes: number | null;
  /** Empty for all. */
  readonly projects: readonly string[] | null;
}

/** What is not understood. */
export interface WordsProblem {
  readonly problem: 'badPart' | 'badName' | 'noZone';
  readonly part: string;
}

/** What a person typed after `/oncall cover`. */
export interface CoverWords {
  readonly person: string;
  readonly from: string | null;
  readonly until: string;
  readonly rota: string | null;
}

const ROTA_NAME = /^[a-z0-9][a-z0-9-]{0,30}$/;
const MAX_MINUTES = 24 * 60;
/** The words about a time that were read, and the spaces between them. */
const READ_ONLY = /^[\0\s]*$/;

/** Reads `[name:] people, when, zone, after 15 min, for projects`, whose parts stand between commas or lines. Pure. */
export function readRotaWords(typed: string): RotaWords | WordsProblem {
  const colon = typed.indexOf(':');
  // The colon of a time stands behind a digit.
  const hasName = colon > 0 && !/[,;\n]/.test(typed.slice(0, colon)) && !/^\d\d/.test(typed.slice(colon + 1));
  const name = hasName ? typed.slice(0, colon).trim() : null;
  if (name !== null && !ROTA_NAME.test(name)) return { problem: 'badName', part: name };
  let read: RotaWords = { name, people: [], rhythm: null, zone: null, minutes: null, projects: null };
  const parts = typed.slice(hasName ? colon + 1 : 0).split(/[,;\n]/);
  for (const part of parts.map((one) => one.trim()).filter((one) => one !== '')) {
    const found = readPart(part, read.projects !== null);
    if ('problem' in found) return found;
    read = {
      ...read,
      ...found,
      people: [...read.people, ...(found.people ?? [])],
      projects: found.projects ? [...(read.projects ?? []), ...found.projects] : read.projects,
    };
  }
  return read;
}

function readPart(part: string, isProject: boolean): Partial<RotaWords> | WordsProblem {
  const [first = '', ...others] = part.split(/\s+/);
  const rest = others.join(' ');
  switch (first.toLowerCase()) {
    case 'after': {
      const minutes = Number(/^(\d{1,4}) ?(?:m|min|mins|minutes?)?$/i.exec(rest)?.[1]);
      return minutes >= 1 && minutes <= MAX_MINUTES ? { minutes } : { problem: 'badPart', part };
    }
    case 'for':
      return { projects: /^(?:all|everything|all projects)$/i.test(rest) ? [] : splitNames(rest) };
  }
  if (isProject) return { projects: splitNames(part) };
  const zone = /^(?:in )?([A-Za-z]+\/[A-Za-z_/+-]+|UTC|GMT)$/i.exec(part)?.[1];
  if (zone !== undefined) {
    const known = findZone(zone);
    return known === null ? { problem: 'noZone', part: zone } : { zone: known };
  }
  return readRhythm(part) ?? { people: splitNames(part) };
}

/** Reads `every monday at 9 in Europe/Berlin`, `monday 9:00`, `daily at 8`; null for other words. */
function readRhythm(part: string): Partial<RotaWords> | WordsProblem | null {
  const plain = part.replace(/^weekly\s+(?:on\s+)?/i, 'every ').replace(/^daily\b/i, 'every day');
  const reading = [plain, `every ${plain}`]
    .map(readWhen)
    .find((one) => one?.when.kind === 'cron' && READ_ONLY.test(one.rest));
  if (reading?.when.kind !== 'cron')
    return readWhen(plain) === null || !/\d|every/i.test(part) ? null : { problem: 'badPart', part };
  const [minute = '', hour = '', day, month, week = ''] = reading.when.pattern.split(' ');
  const isUsual =
    /^\d+$/.test(minute) && /^\d+$/.test(hour) && day === '*' && month === '*' && /^(?:\*|[0-6])$/.test(week);
  if (!isUsual) return { problem: 'badPart', part };
  const zone = reading.zone === null ? null : findZone(reading.zone);
  if (reading.zone !== null && zone === null) return { problem: 'noZone', part: reading.zone };
  const clock = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  return { rhythm: { weekday: week === '*' ? null : Number(week), clock }, ...(zone === null ? {} : { zone }) };
}

/** Reads `Ben from tomorrow at 18:00 until monday at 9 in night`; null when no end is said. Pure. */
export function readCoverWords(typed: string): CoverWords | null {
  const words = typed.split(/\s+/);
  const find = (...sought: readonly string[]): number => words.findIndex((word) => sought.includes(word.toLowerCase()));
  const until = find('until', 'till');
  const from = find('from');
  if (until < 1 || (from >= 0 && from > until)) return null;
  const last = words.length - 2;
  const hasRota = last > until + 1 && words[last]?.toLowerCase() === 'in' && ROTA_NAME.test(words.at(-1) ?? '');
  const said = (start: number, end: number): string => words.slice(start, end).join(' ');
  const person = said(0, from >= 0 ? from : until).replace(/\s+covers$/i, '');
  const end = said(until + 1, hasRota ? last : words.length);
  if (person === '' || end === '') return null;
  return {
    person,
    from: from < 0 ? null : said(from + 1, until),
    until: end,
    rota: hasRota ? (words.at(-1) ?? null) : null,
  };
}

/** Finds the moment of words such as `tomorrow at 9`, `monday 18:00` or `2026-12-01 09:00`; null for other words. Pure. */
export function readMoment(typed: string, zone: string, after: Date): Date | null {
  if (/^now$/i.test(typed)) return after;
  for (const text of [
    typed,
    `on ${typed}`,
    `at ${typed}`,
    typed.replace(/ (?=\d{1,2}(?::\d\d)?$)/, ' at '),
    `on ${typed.replace(/ (?=\d{1,2}(?::\d\d)?$)/, ' at ')}`,
  ]) {
    const reading = readWhen(text);
    if (!reading || reading.when.kind === 'cron' || !READ_ONLY.test(reading.rest)) continue;
    const named = reading.zone === null ? zone : findZone(reading.zone);
    return named === null ? null : (resolveWhen(reading.when, named, after)?.at ?? null);
  }
  return null;
}

function splitNames(text: string): readonly string[] {
  return text
    .split(/\s+and\s+/i)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
