import type { PlannerFacts } from './catalog.ts';
import { findName, toName } from './names.ts';
import { findMentions, type Mention } from './mentions.ts';
import { findAddresses, findQuantities, findQuoted, hasUnit, inUnitOf, takesAddress } from './quantities.ts';
import { problemOf, type Field } from './schema.ts';
import { createSpans, type Spans } from './spans.ts';
import { findOnlyStrange, findStrangeNames } from './strange-names.ts';
import { isFiller, meaningOf, stem, tokenize } from './tokens.ts';
import { findDescription } from './descriptions.ts';
import { VALUE_ALIASES } from './vocabulary.ts';

/** Why an argument could not be taken from the text although the text speaks of it. */
export type SlotProblem =
  | { readonly kind: 'unknown-name'; readonly field: Field; readonly written: string }
  | { readonly kind: 'invalid'; readonly field: Field; readonly written: string; readonly wanted: string };

export interface Filled {
  readonly args: Record<string, unknown>;
  readonly problem: SlotProblem | null;
}

export interface SlotRequest {
  /** Cleaned. */
  readonly text: string;
  readonly fields: readonly Field[];
  readonly facts: PlannerFacts;
  /** The vocabulary: words that are never taken for a name. */
  readonly words: ReadonlySet<string>;
  /** Arguments that are settled already; the text does not change them. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** Takes the arguments of a tool out of a text. Every value it returns is one that the schema takes. */
export function fillSlots(request: SlotRequest): Filled {
  const { text, fields, facts, words, given } = request;
  const args = new Map(Object.entries(given));
  const spans = createSpans();
  const mentions = findMentions(text, facts, words);
  let problem: SlotProblem | null = null;
  const open = (): readonly Field[] => fields.filter((field) => !args.has(field.name));
  const put = (field: Field, value: unknown, written: string): void => {
    const wanted = problemOf(field, value);
    if (wanted === null) args.set(field.name, value);
    else problem ??= { kind: 'invalid', field, written, wanted };
  };

  fillAddresses(text, open(), spans, put);
  fillNames(request, open(), spans, put);
  fillMentions(mentions, open(), spans, put);
  fillNumbers(text, open(), spans, put);
  fillChoices(text, open(), spans, put);
  fillWords(text, open(), spans, put);
  fillDescriptions(text, open(), spans, put);
  for (const field of open().filter((candidate) => isKnownKind(candidate, facts))) {
    const known = knownNames(facts, field.entity);
    const written = findUnknownName(request, field, mentions, spans);
    if (written !== null && known.length > 0) problem ??= { kind: 'unknown-name', field, written };
    else if (written !== null && !Object.hasOwn(facts.known, field.entity ?? '')) put(field, written, written);
    else if (
      field.entity === 'project' &&
      facts.currentProject &&
      /\b(?:it|its|it's|that|this|the project)\b/i.test(text)
    )
      put(field, facts.currentProject, facts.currentProject);
    else if (field.required && known.length === 1) put(field, known[0], known[0] ?? '');
  }
  return { args: Object.fromEntries(args), problem };
}

/** Known names of a kind; none for a kind that nobody listed. */
export function knownNames(facts: PlannerFacts, kind: string | null): readonly string[] {
  return kind !== null && Object.hasOwn(facts.known, kind) ? (facts.known[kind] ?? []) : [];
}

type Put = (field: Field, value: unknown, written: string) => void;

/** Whether the field holds the name of a thing that exists already. */
function isKnownKind(field: Field, facts: PlannerFacts): boolean {
  if (field.entity === null || field.choices.length > 0 || field.type !== 'string') return false;
  return !['name', 'text', 'port'].includes(field.entity) || Object.hasOwn(facts.known, field.entity);
}

function fillAddresses(text: string, fields: readonly Field[], spans: Spans, put: Put): void {
  const wanting = fields.filter(takesAddress);
  findAddresses(text).forEach(({ value, start, end }, at) => {
    const field = wanting[at];
    spans.take(start, end);
    if (field) put(field, value, value);
  });
}

function fillNames(request: SlotRequest, fields: readonly Field[], spans: Spans, put: Put): void {
  const field = fields.find(takesNewName);
  if (!field) return;
  const found = findName(request.text, request.words);
  if (!found || !spans.isFree(found.start, found.end)) return;
  spans.take(found.start, found.end);
  put(field, toName(field, found.name), `“${found.name}”`);
}

/** Whether the field holds a name that is new. */
export function takesNewName(field: Field): boolean {
  return field.entity === 'name' || (field.entity === null && field.name === 'name' && field.type === 'string');
}

function fillMentions(mentions: readonly Mention[], fields: readonly Field[], spans: Spans, put: Put): void {
  for (const field of fields.filter((candidate) => candidate.entity !== null)) {
    const mention = mentions.find(
      ({ kind, name, start, end }) =>
        kind === field.entity &&
        spans.isFree(start, end) &&
        (field.choices.length === 0 || field.choices.includes(name)),
    );
    if (!mention) continue;
    spans.take(mention.start, mention.end);
    put(field, mention.name, mention.name);
  }
}

function fillNumbers(text: string, fields: readonly Field[], spans: Spans, put: Put): void {
  const numeric = fields.filter((field) => field.type === 'integer' || field.type === 'number');
  const left = [...numeric];
  const use = (field: Field, value: number, start: number, end: number): void => {
    spans.take(start, end);
    left.splice(left.indexOf(field), 1);
    put(field, value, text.slice(start, end));
  };
  for (const quantity of findQuantities(text)) {
    const { start, end, unit } = quantity;
    if (!spans.isFree(start, end)) continue;
    const before = tokenize(text.slice(0, start)).at(-1)?.lower ?? '';
    const after = unit === null ? (tokenize(text.slice(end))[0]?.lower ?? '') : '';
    const labelled = left.find((field) => isLabelOf(before, field) || (after !== '' && isLabelOf(after, field)));
    // "2 ports" and "20 lines" count things: they name no port.
    const counts = after.endsWith('s') && !isFiller(after) && !isLabelOf(before, { name: 'port' });
    if (counts && (!labelled || isPort(labelled))) continue;
    const field =
      unit === null
        ? (labelled ?? left.find(isPort) ?? left.find(takesBareNumber))
        : left.find((candidate) => hasUnit(candidate.name));
    const value = field ? inUnitOf(field.name, quantity) : null;
    if (field && value !== null) use(field, value, start, end);
  }
}

function isPort(field: Field): boolean {
  return field.entity === 'port';
}

function takesBareNumber(field: Field): boolean {
  return field.required && !hasUnit(field.name);
}

function isLabelOf(word: string, field: Pick<Field, 'name'>): boolean {
  const label = field.name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]/);
  return label.map(meaningOf).includes(meaningOf(word));
}

function fillChoices(text: string, fields: readonly Field[], spans: Spans, put: Put): void {
  for (const field of fields.filter((candidate) => candidate.choices.length > 0)) {
    for (const { lower, start, end } of tokenize(text)) {
      if (!spans.isFree(start, end)) continue;
      const choice = field.choices.find((value) => isSameChoice(lower, value));
      if (choice === undefined) continue;
      spans.take(start, end);
      put(field, choice, choice);
      break;
    }
  }
}

/** archive, archived and Archived are one choice; so are prod and production. */
export function isSameChoice(word: string, choice: string): boolean {
  const value = choice.toLowerCase();
  return word === value || VALUE_ALIASES.get(word) === value || stem(word) === stem(value);
}

/** Fields of one word, such as a host: the word behind the field's name, else one that is built like an address. */
function fillWords(text: string, fields: readonly Field[], spans: Spans, put: Put): void {
  for (const field of fields.filter(takesOneWord)) {
    const free = tokenize(text).filter(({ start, end }) => spans.isFree(start, end));
    const labelled = free.find(({ lower }, at) => !isFiller(lower) && isLabelOf(free[at - 1]?.lower ?? '', field));
    const token =
      labelled ?? (field.required ? free.find(({ lower }) => /[\p{L}\p{N}]\.[\p{L}\p{N}]/u.test(lower)) : undefined);
    const written = token ? text.slice(token.start, token.end) : '';
    if (!token || problemOf(field, written) !== null) continue;
    spans.take(token.start, token.end);
    put(field, written, written);
  }
}

/** Whether the field holds free text. */
function takesText(field: Field): boolean {
  if (field.type !== 'string' || field.choices.length > 0 || takesAddress(field) || takesOneWord(field)) return false;
  return field.entity === 'text' || (field.entity === null && !takesNewName(field));
}

/** Whether the field holds a word that is no name: its pattern allows no spaces. */
export function takesOneWord(field: Field): boolean {
  if (field.type !== 'string' || field.choices.length > 0 || takesAddress(field) || takesNewName(field)) return false;
  return (
    field.rules.pattern !== undefined && problemOf(field, 'two words') !== null && ['text', null].includes(field.entity)
  );
}

function isLabelled(text: string, field: Field): boolean {
  return tokenize(text).some(({ lower }) => isLabelOf(lower, field));
}

function fillDescriptions(text: string, fields: readonly Field[], spans: Spans, put: Put): void {
  const quoted = findQuoted(text).filter(({ start, end }) => spans.isFree(start, end));
  for (const field of fields.filter(takesText)) {
    const quote = field.entity === 'text' || isLabelled(text, field) ? quoted.shift() : undefined;
    if (quote) {
      spans.take(quote.start, quote.end);
      put(field, quote.value, `“${quote.value}”`);
      continue;
    }
    const found = findDescription(text, field, spans.lastEnd());
    if (found !== null) put(field, found, `“${found}”`);
  }
}

/** A name that is written where a name of that kind stands, but that nobody knows. */
function findUnknownName(
  request: SlotRequest,
  field: Field,
  mentions: readonly Mention[],
  spans: Spans,
): string | null {
  const { text, words, fields } = request;
  const placed = findStrangeNames(text, field.entity, mentions, words).find(({ start, end }) =>
    spans.isFree(start, end),
  );
  if (placed) return placed.written;
  // Where free text is wanted, a strange word is rather part of it.
  const wantsText = fields.some((other) => takesNewName(other) || (other.entity === 'text' && other.required));
  if (!field.required || wantsText) return null;
  const only = findOnlyStrange(text, mentions, words);
  return only && spans.isFree(only.start, only.end) ? only.written : null;
}
