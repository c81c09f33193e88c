import type { Filled, Filling, SlotProblem, SlotRequest } from './slot-request.ts';
import { hasTellingForm, takesNewName } from './field-kinds.ts';
import { isLabelOf, isSameChoice } from './labels.ts';
import { findMentions } from '../text/mentions.ts';
import { fillKnownNames, fillMentions, knownNames } from './name-slots.ts';
import { findName, findStrangeNewName, toName } from '../text/names.ts';
import { fillNumbers } from './number-slots.ts';
import { findAddresses, findQuantities, inUnitOf, takesAddress } from '../text/quantities.ts';
import { type Field, problemOf } from './schema.ts';
import { findAssignments, findFormed } from './slot-values.ts';
import { createSpans } from '../text/spans.ts';
import { nearest } from '../text/spelling.ts';
import { isFiller, tokenize } from '../text/tokens.ts';
import { fillChoices, fillDescriptions, fillVersions, fillWords } from './word-slots.ts';

/** Takes the arguments of a tool out of a text. Every value it returns is one that the schema takes. */
export function fillSlots(request: SlotRequest): Filled {
  const { text, fields, facts, words, given, closed } = request;
  const args = new Map(Object.entries(given));
  const problems: SlotProblem[] = [];
  const filling: Filling = {
    request,
    mentions: findMentions(text, facts, words, closed),
    spans: createSpans(),
    open: () => fields.filter((field) => !args.has(field.name)),
    put: (field, value, written) => {
      const wanted = problemOf(field, value);
      if (wanted === null) args.set(field.name, value);
      else problems.push({ kind: 'invalid', field, written, wanted });
    },
  };
  fillAssignments(filling);
  fillAddresses(filling);
  fillForms(filling);
  const name = fillNames(filling);
  fillMentions(filling, problems);
  fillVersions(filling);
  fillNumbers(text, filling.open(), filling.spans, filling.put);
  fillChoices(filling);
  fillWords(filling);
  fillDescriptions(filling, name);
  fillKnownNames(filling, problems);
  return { args: Object.fromEntries(args), problem: problems.find(({ field }) => !args.has(field.name)) ?? null };
}

/** name=value fills the field of that name, whatever else the text says. */
function fillAssignments({ request, spans, open, put }: Filling): void {
  for (const { key, value, start, end } of findAssignments(request.text)) {
    const field =
      open().find((candidate) => candidate.name.toLowerCase() === key) ??
      open().find((candidate) => isLabelOf(key, candidate));
    if (!field || !spans.isFree(start, end)) continue;
    const read = readAssigned(field, value, request);
    if (read === null) continue;
    spans.take(start, end);
    put(field, read, value);
  }
}

function readAssigned(field: Field, value: string, { facts }: SlotRequest): unknown {
  if (field.type === 'integer' || field.type === 'number') {
    const [quantity] = findQuantities(value);
    return quantity ? inUnitOf(field.name, quantity) : null;
  }
  if (field.type === 'boolean') return /^(?:true|yes|on|1)$/i.test(value);
  if (field.choices.length > 0)
    return field.choices.find((choice) => isSameChoice(value.toLowerCase(), choice)) ?? value;
  if (takesNewName(field)) return toName(field, value);
  const known = knownNames(facts, field.entity);
  return known.length > 0 ? (nearest(value.toLowerCase(), known)[0] ?? value) : value;
}

function fillAddresses({ request, spans, open, put }: Filling): void {
  const wanting = open().filter(takesAddress);
  findAddresses(request.text).forEach(({ value, start, end }, at) => {
    const field = wanting[at];
    spans.take(start, end);
    if (field) put(field, value, value);
  });
}

function fillForms({ request, spans, open, put }: Filling): void {
  for (const field of open().filter(hasTellingForm)) {
    const found = findFormed(request.text, field);
    if (!found || !spans.isFree(found.start, found.end)) continue;
    spans.take(found.start, found.end);
    put(field, found.value, found.value);
  }
}

function fillNames({
  request,
  spans,
  open,
  put,
  mentions,
}: Filling): { readonly start: number; readonly end: number } | null {
  const field = open().find(takesNewName);
  if (!field) return null;
  const { text, words, fields, closed = {} } = request;
  const found = findName(text, words) ?? (fields.length > 0 && mentions.length === 0 ? onlyNewName(request) : null);
  const place =
    found &&
    mentions.some(({ kind, start, end }) => Object.hasOwn(closed, kind) && start < found.end && end > found.nameStart);
  if (!found || place || !spans.isFree(found.start, found.end)) return null;
  spans.take(found.start, found.end);
  put(field, toName(field, found.name), `“${found.name}”`);
  return found;
}

/** "create radio": a short order whose only strange word is the name. */
function onlyNewName({ text, words }: SlotRequest) {
  return tokenize(text.replace(/"[^"]*"/g, '')).filter(({ lower }) => !isFiller(lower)).length <= 3
    ? findStrangeNewName(text, words)
    : null;
}
