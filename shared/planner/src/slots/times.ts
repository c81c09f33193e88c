import type { FillingState } from './filling.ts';
import { findProblem } from './schema.ts';
import { type TextValue, createTextValue } from '../text/values.ts';

const DAY =
  '(?:today|yesterday|this morning|last night|(?:last )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))';
const CLOCK = String.raw`(?:\d{1,2}:\d\d|\d{4}-\d\d-\d\d(?:t\d\d:\d\d(?::\d\d)?z?)?)`;
const SPAN = String.raw`(?:\d{1,5} ?(?:minutes?|min|hours?|hrs?|h|days?|weeks?))`;
const FORMS = [
  String.raw`\b(?:since|from|after)\s+(${DAY}|${CLOCK}|${SPAN})`,
  String.raw`\b(?:last|past)\s+(${SPAN}|hour|day|week)\b`,
  String.raw`\b(${SPAN})\s+ago\b`,
  String.raw`\b(${DAY})\b`,
].map((form) => new RegExp(form, 'iu'));
const UNTIL = new RegExp(String.raw`\b(?:until|till|before)\s+(${DAY}|${CLOCK})`, 'iu');

/** Fills `since` and `until` from a text, such as "since yesterday" or "in the last 2 hours". */
export function fillTimes({ request: { text }, open, isFree, put }: FillingState): void {
  const until = match(UNTIL, text);
  for (const field of open().filter(({ name, type }) => type === 'string' && /^(?:since|until)$/.test(name))) {
    const found = field.name === 'until' ? until : (FORMS.map((form) => match(form, text)).find((one) => one) ?? null);
    const isEnd = field.name === 'since' && found?.start === until?.start;
    if (found && !isEnd && isFree(found) && findProblem(field, found.value) === null) put(field, found.value, found);
  }
}

function match(form: RegExp, text: string): TextValue | null {
  const found = form.exec(text);
  const value = found?.[1];
  return found && value !== undefined
    ? { ...createTextValue(value, found.index + found[0].indexOf(value)), value: value.toLowerCase() }
    : null;
}
