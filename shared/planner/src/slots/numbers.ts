import type { FillingState } from './filling.ts';
import { isLabelOf, splitFieldName } from './field-kinds.ts';
import { type Field, findProblem } from './schema.ts';
import { tokenize, wordsOf } from '../text/tokens.ts';
import { type Quantity, findQuantities, hasUnit, toUnitOf } from '../text/values.ts';

const RANGE =
  /(?<![\p{L}\p{N}.-])(\d{1,9})\s?(?:-|–|\.\.+|to|till|until|through|up to|and)\s?(\d{1,9})(?![\p{L}\p{N}]|\.\d)/iu;

/** Assigns the numbers of a text to numeric fields: by neighboring word, by unit, then by which field is left. */
export function fillNumbers(filling: FillingState): void {
  const { open, isFree, put } = filling;
  const { text } = filling.request;
  fillRange(filling);
  for (const quantity of findQuantities(text)) {
    if (!isFree(quantity)) continue;
    const left = open().filter(isNumber);
    const field =
      quantity.unit === null
        ? fieldFor(quantity, left, text)
        : left.find(({ name }) => hasUnit(name) && toUnitOf(name, quantity) !== null);
    const value = field ? toUnitOf(field.name, quantity) : null;
    // A field with whole hours gets an hour and a half rounded up to two.
    if (field && value !== null)
      put(field, field.type === 'integer' && hasUnit(field.name) ? Math.ceil(value) : value, quantity);
  }
}

/** Finds the field of a number without a unit: the field named beside it, or else a port, or else the only numeric field. */
function fieldFor({ value, start, end }: Quantity, left: readonly Field[], text: string): Field | undefined {
  const before = wordsOf(text.slice(0, start)).filter((word) => !['of', 'is', 'to', 'number'].includes(word));
  const [after] = tokenize(text.slice(end, end + 40));
  const isNext = after !== undefined && /^\s*$/.test(text.slice(end, end + after.start));
  const words = wordsOf(text);
  // Of several named fields, prefers the one with more words in the text: "register … by ssh, port 2299" means sshPort.
  const said = ({ name }: Field): number => splitFieldName(name).filter((part) => words.includes(part)).length;
  const named = [before.at(-1) ?? '', isNext ? after.lower : '']
    .map((word) => left.filter((field) => isLabelOf(word, field)).toSorted((one, other) => said(other) - said(one))[0])
    .find((field) => field !== undefined);
  if (named) return named;
  const ports = left.filter(({ entity }) => entity === 'port');
  const [only, ...more] = left.filter(({ name, required }) => !hasUnit(name) || required);
  return (
    ports.find((field) => findProblem(field, value) === null) ?? ports[0] ?? (more.length === 0 ? only : undefined)
  );
}

/** Fills the fields firstPort and lastPort from one range. */
function fillRange({ request: { text }, open, isFree, put }: FillingState): void {
  const first = open().find(({ name }) => /^(?:first|from|min)/i.test(name) && !/_/.test(name));
  const last = open().find(({ name }) => /^(?:last|to|max)/i.test(name));
  const match = RANGE.exec(text);
  if (!first || !last || !match || Number(match[1]) > Number(match[2])) return;
  const place = { start: match.index, end: match.index + match[0].length };
  if (!isFree(place)) return;
  put(first, Number(match[1]), place);
  put(last, Number(match[2]), place);
}

export const isNumber = ({ type }: Field): boolean => type === 'integer' || type === 'number';
