import type { FillingState } from './filling.ts';
import { findProblem } from './schema.ts';
import { type TextValue, WORD_NUMBERS, createTextValue } from '../text/values.ts';

const DAY =
  '(?:today|yesterday|this morning|last night|(?:last )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))';
const CLOCK = String.raw`(?:\d{1,2}:\d\d(?: ?[ap]m)?|\d{1,2} ?(?:o.?clock|[ap]\.?m\.?|h)(?![\p{L}\p{N}])|\d{4}-\d\d-\d\d(?:t\d\d:\d\d(?::\d\d)?z?)?)`;
const COUNTS: ReadonlyMap<string, number> = new Map([
  ...[...WORD_NUMBERS].filter(([, value]) => value > 1 && value <= 24),
  ['twenty-four', 24],
]);
const COUNT = String.raw`(?:\d{1,5}|${[...COUNTS.keys()].join('|')})`;
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
export function fillTimes({ request: { text }, open, isFree, put }: FillingState): void {
  const hasHours = open().some(({ name }) => name === 'hours');
  const until = match(UNTIL, text);
  for (const field of open().filter(({ name, type }) => type === 'string' && /^(?:since|until)$/.test(name))) {
    const found = field.name === 'until' ? until : (FORMS.map((form) => match(form, text)).find((one) => one) ?? null);
    const isEnd = field.name === 'since' && found?.start === until?.start;
    // “The last 2 hours” are a number of hours where a tool takes one.
    if (hasHours && found && SPAN_ONLY.test(found.value)) continue;
    if (found && !isEnd && isFree(found) && findProblem(field, found.value) === null) put(field, found.value, found);
  }
}

function match(form: RegExp, text: string): TextValue | null {
  const found = form.exec(text);
  const value = found?.[1];
  return found && value !== undefined
    ? { ...createTextValue(value, found.index + found[0].indexOf(value)), value: asWritten(value.toLowerCase()) }
    : null;
}

/** Writes numbers in digits and clock times as `14:00`, as the tools read them. */
function asWritten(time: string): string {
  const [, hour, minute = '00', half] = /^(\d{1,2})(?::(\d\d))? ?(o.?clock|[ap]\.?m\.?|h)?$/.exec(time) ?? [];
  if (hour !== undefined)
    return `${half?.startsWith('p') && Number(hour) < 12 ? Number(hour) + 12 : hour.padStart(2, '0')}:${minute}`;
  return time.replace(/^[a-z-]+(?= )/, (word) => String(COUNTS.get(word) ?? word));
}
