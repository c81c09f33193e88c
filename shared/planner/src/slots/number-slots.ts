import { isLabelOf } from './labels.ts';
import { findQuantities, hasUnit, inUnitOf } from '../text/quantities.ts';
import { type Field, problemOf } from './schema.ts';
import { findRange } from './slot-values.ts';
import type { Spans } from '../text/spans.ts';
import { isFiller, tokenize } from '../text/tokens.ts';

type Put = (field: Field, value: number, written: string) => void;

/** Takes the numbers of a text for the fields that want one: by the word beside it, by its unit, by what is left. */
export function fillNumbers(text: string, fields: readonly Field[], spans: Spans, put: Put): void {
  const left = fields.filter((field) => field.type === 'integer' || field.type === 'number');
  fillRange(text, left, spans, put);
  const use = (field: Field, value: number, start: number, end: number): void => {
    spans.take(start, end);
    left.splice(left.indexOf(field), 1);
    put(field, value, text.slice(start, end));
  };
  for (const quantity of findQuantities(text)) {
    const { start, end, unit } = quantity;
    if (!spans.isFree(start, end)) continue;
    const before = wordBefore(text, start);
    const after = unit === null ? (tokenize(text.slice(end, end + 40))[0]?.lower ?? '') : '';
    const labelled =
      left.find((field) => isNamedBefore(text, start, field)) ??
      left.find((field) => isLabelOf(before, field)) ??
      left.find((field) => after !== '' && isLabelOf(after, field));
    // "2 ports" and "20 lines" count things: they name no port.
    const counts = after.endsWith('s') && !isFiller(after) && !isLabelOf(before, { name: 'port' });
    if (counts && (!labelled || isPort(labelled))) continue;
    const field =
      unit === null
        ? (labelled ??
          left.find((candidate) => isPort(candidate) && fits(candidate, quantity.value)) ??
          left.find(isPort) ??
          left.find(takesBareNumber) ??
          onlyCount(left, fields))
        : left.find((candidate) => hasUnit(candidate.name) && inUnitOf(candidate.name, quantity) !== null);
    const value = field ? wholeFor(field, inUnitOf(field.name, quantity)) : null;
    if (field && value !== null) use(field, value, start, end);
  }
}

/** firstPort and lastPort, from and to: two fields that a range fills at once. */
function fillRange(text: string, left: Field[], spans: Spans, put: Put): void {
  const first = left.find(({ name }) => /^(?:first|from|min|start|lowest)/i.test(name));
  const last = left.find(({ name }) => /^(?:last|to|max|end|highest)/i.test(name));
  const range = first && last ? findRange(text) : null;
  if (!first || !last || !range || !spans.isFree(range.start, range.end) || range.from > range.to) return;
  spans.take(range.start, range.end);
  left.splice(left.indexOf(first), 1);
  left.splice(left.indexOf(last), 1);
  put(first, range.from, String(range.from));
  put(last, range.to, String(range.to));
}

/** An hour and a half ago is two hours ago where only whole hours count. */
function wholeFor(field: Field, value: number | null): number | null {
  if (value === null || field.type !== 'integer' || !hasUnit(field.name)) return value;
  return Number.isInteger(value) ? value : Math.ceil(value);
}

function wordBefore(text: string, start: number): string {
  const words = tokenize(text.slice(Math.max(0, start - 60), start));
  const last = words.at(-1)?.lower ?? '';
  return ['of', 'is', 'to', 'number', 'no', 'nr'].includes(last) ? (words.at(-2)?.lower ?? '') : last;
}

/** "ssh port 2222": the whole name of the field, when it has several words. */
function isNamedBefore(text: string, start: number, { name }: Field): boolean {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]/);
  const before = tokenize(text.slice(Math.max(0, start - 60), start)).map(({ lower }) => lower);
  return words.length > 1 && before.slice(-words.length).join(' ') === words.join(' ');
}

function fits(field: Field, value: number): boolean {
  return problemOf(field, value) === null;
}

function isPort(field: Field): boolean {
  return field.entity === 'port';
}

function takesBareNumber(field: Field): boolean {
  return field.required && !hasUnit(field.name);
}

/** A lone number is what a tool counts when it counts only one thing: "more, 200". */
function onlyCount(left: readonly Field[], fields: readonly Field[]): Field | undefined {
  const counts = fields.filter((field) => field.type === 'integer' || field.type === 'number');
  return counts.length === 1 && left.length === 1 && !hasUnit(left[0]?.name ?? '') ? left[0] : undefined;
}
