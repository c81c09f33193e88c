import type { FillingState } from './filling.ts';
import { findProblem } from './schema.ts';
import { type TextValue, createTextValue } from '../text/values.ts';

const DAY =
  '(?:today|yesterday|this morning|last night|(?:last )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))';
const CLOCK = String.raw`(?:\d{1,2}:\d\d(?: ?[ap]m)?|\d{1,2} ?(?:o.?clock|[ap]\.?m\.?|h)(?![\p{L}\p{N}])|\d{4}-\d\d-\d\d(?:t\d\d:\d\d(?::\d\d)?z?)?)`;
const COUNT = '(?:\\d{1,5}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty-four)';
const SPAN = String.raw`(?:${COUNT} ?(?:minutes?|min|hours?|hrs?|h|days?|weeks?))`;
const SPAN_ONLY = new RegExp(`^(?:${SPAN}|hour|day|week)$`, 'iu');
/** An hour without a sign that it is one: “since 2”, but neither “since 2 days” nor “since 2.0”. */
const HOUR = String.raw`\d{1,2}(?![\d:.%])(?!\s+(?!(?:in|on|for|at|of|and|today)\b)\p{L})`;
const FORMS = [
  String.raw`\b(?:since|from|after)\s+(?:the\s+)?(${DAY}|${CLOCK}|${SPAN}|${HOUR})`,
  String.raw`\b(?:last|past)\s+(?:few\s+)?(${SPAN}|hour|day|week)\b`,
  String.raw`\b(?:this|the whole|all)\s+(week)\b`,
  String.raw`\b(${SPAN})\s+ago\b`,
  String.raw`\b(${DAY})\b`,
].map((form) => new RegExp(form, 'iu'));
const UNTIL = new RegExp(String.raw`\b(?:until|till|before)\s+(${DAY}|${CLOCK})`, 'iu');

/** Fills `since` and `until` from a text, such as "since yesterday" or "in the last 2 hours". */
export function fillTimes(filling: FillingState): void {
  const { open, isFree, put } = filling;
  const { text } = filling.request;
  const hasHours = open().some(({ name }) => name === 'hours');
  if (!open().some(({ name }) => name === 'since')) fillNamedHours(filling);
  const until = match(UNTIL, text);
  for (const field of open().filter(({ name, type }) => type === 'string' && /^(?:since|until)$/.test(name))) {
    const found = field.name === 'until' ? until : (FORMS.map((form) => match(form, text)).find((one) => one) ?? null);
    const isEnd = field.name === 'since' && found?.start === until?.start;
    // “The last 2 hours” are a number of hours where a tool takes one.
    if (hasHours && found && SPAN_ONLY.test(found.value)) continue;
    if (found && !isEnd && isFree(found) && findProblem(field, found.value) === null) put(field, found.value, found);
  }
}

/** Hours back to the beginning of a past that has a name; whole days are counted generously, because nobody says the hour. */
const NAMED_HOURS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:yesterday|last night)\b/i, 48],
  [/\b(?:(?:this|last|past) week|since (?:last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i, 168],
  [/\b(?:this|last|past) month\b/i, 720],
];

/** Fills `hours` from a past that has a name, such as “since yesterday”. */
function fillNamedHours({ request: { text }, open, isFree, put }: FillingState): void {
  const field = open().find(({ name, required }) => name === 'hours' && !required);
  for (const [pattern, hours] of field ? NAMED_HOURS : []) {
    const found = pattern.exec(text);
    const place = found && { start: found.index, end: found.index + found[0].length };
    if (field && place && isFree(place) && findProblem(field, hours) === null) return put(field, hours, place);
  }
}

function match(form: RegExp, text: string): TextValue | null {
  const found = form.exec(text);
  const value = found?.[1];
  return found && value !== undefined
    ? { ...createTextValue(value, found.index + found[0].indexOf(value)), value: asWritten(value.toLowerCase()) }
    : null;
}

const COUNTS: Readonly<Record<string, string>> = {
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  twelve: '12',
  'twenty-four': '24',
};

/** Writes numbers in digits and clock times as `14:00`, as the tools read them. */
function asWritten(time: string): string {
  const [, hour, minute = '00', half] = /^(\d{1,2})(?::(\d\d))? ?(o.?clock|[ap]\.?m\.?|h)?$/.exec(time) ?? [];
  if (hour !== undefined)
    return `${half?.startsWith('p') && Number(hour) < 12 ? Number(hour) + 12 : hour.padStart(2, '0')}:${minute}`;
  return time.replace(/^[a-z-]+(?= )/, (word) => COUNTS[word] ?? word);
}
