import { findDescription } from './descriptions.ts';
import { hasDistinctForm, isLabelOf, getValueKind, takesKnownName } from './field-kinds.ts';
import type { FilledSlots, FillingState, SlotProblem, SlotRequest } from './filling.ts';
import { fillTimes } from './times.ts';
import { fillNumbers } from './numbers.ts';
import { type Field, findProblem } from './schema.ts';
import { findMentions, findUnknownNames, isSameChoice, isCommonWord, listKnownNames } from '../names/mentions.ts';
import { findNewName, toName } from './new-names.ts';
import { isFiller, tokenize } from '../text/tokens.ts';
import { type Span, type TextValue, createTextValue, findAddresses, findQuoted } from '../text/values.ts';
import { findGitRefs } from './refs.ts';

/** Reads the arguments of a tool from a text. Returns only values that the schema accepts. */
export function fillSlots(request: SlotRequest): FilledSlots {
  const { text, fields, facts, given, language } = request;
  const args = new Map(Object.entries(given));
  const problems: SlotProblem[] = [];
  const taken: Span[] = [];
  const filling: FillingState = {
    request,
    mentions: findMentions(text, facts, language),
    open: () => fields.filter((field) => !args.has(field.name)),
    isFree: ({ start, end }) => taken.every((other) => end <= other.start || start >= other.end),
    put: (field, value, { start, end }) => {
      taken.push({ start, end });
      const wanted = findProblem(field, value);
      if (wanted === null) args.set(field.name, value);
      else problems.push({ kind: 'invalid', field, written: text.slice(start, end), wanted });
    },
  };
  fillForms(filling);
  const name = fillNewName(filling);
  fillMentions(filling);
  fillTimes(filling);
  fillVersions(filling);
  fillNumbers(filling);
  fillChoices(filling);
  fillWords(filling);
  fillTexts(filling, name);
  fillFromFacts(filling, problems);
  return { args: Object.fromEntries(args), problem: problems.find(({ field }) => !args.has(field.name)) ?? null };
}

/** Fills addresses and other values with a recognizable form. */
function fillForms({ request: { text }, open, isFree, put }: FillingState): void {
  for (const address of findAddresses(text)) {
    const field = open().find((field) => getValueKind(field) === 'address');
    if (field && isFree(address)) put(field, address.value, address);
  }
  for (const field of open().filter(hasDistinctForm)) {
    const fitting = [...text.matchAll(/[^\s,;"'()]+/g)]
      .map((match) => createTextValue(match[0].replace(/[.!?:]+$/, ''), match.index))
      .find((one) => isFree(one) && findProblem(field, one.value) === null);
    if (fitting) put(field, fitting.value, fitting);
  }
}

function fillNewName({ request, open, isFree, put }: FillingState): TextValue | null {
  const field = open().find((field) => getValueKind(field) === 'new-name');
  const found = field ? findNewName(request.text) : null;
  if (!field || !found || !isFree(found)) return null;
  put(field, toName(field, found.value), found);
  return found;
}

/** Matches a correction, as in "prod. no wait, staging"; the last value then counts. */
const CORRECTS = /\b(?:no|wait|sorry|rather|actually|oops)\b/i;

function fillMentions({ request: { text }, mentions, open, isFree, put }: FillingState): void {
  const isCorrected = CORRECTS.test(text.slice(mentions[0]?.end));
  const inTurn = isCorrected ? mentions.toReversed() : mentions;
  for (const field of open().filter(({ entity }) => entity !== null)) {
    const mention = inTurn.find(
      (one) =>
        one.kind === field.entity && isFree(one) && (field.choices.length === 0 || field.choices.includes(one.name)),
    );
    if (mention) put(field, mention.name, mention);
  }
}

function fillVersions({ request: { text, fields }, mentions, open, isFree, put }: FillingState): void {
  const countsNothing = !fields.some(({ type }) => type === 'integer' || type === 'number');
  for (const field of open().filter((field) => getValueKind(field) === 'version')) {
    const found = findGitRefs(text, mentions, countsNothing).find(isFree);
    if (found) put(field, found.value, found);
  }
}

function fillChoices({ request: { text }, open, isFree, put }: FillingState): void {
  for (const field of open().filter(({ choices }) => choices.length > 0)) {
    for (const choice of field.choices) {
      const token = tokenize(text).find((one) => isFree(one) && isSameChoice(one.lower, choice));
      if (token) put(field, choice, token);
    }
  }
}

const SEEKING =
  'grep(?:ping)?(?: for)?|contain(?:s|ing)?|mention(?:s|ing)?|match(?:es|ing)?|filter(?:ed)?(?: by| for)?|looking for';
const SEARCHED = new RegExp(
  String.raw`\b(?:${SEEKING}|search(?:ing)? for|(?:lines?|those|ones) (?:with|about)) +(?:the |a |any )*([^\s"',;]+)`,
  'iu',
);

/** Fills one-word fields, such as a host, a service or a search text. */
function fillWords({ request: { text }, open, isFree, put }: FillingState): void {
  const words = tokenize(text).map(({ lower, start, end }) => ({ lower, value: text.slice(start, end), start, end }));
  for (const field of open()) {
    const behind = words.filter((_, createTextValue) => isLabelOf(words[createTextValue - 1]?.lower ?? '', field));
    const found = wordsFor(field, text, words, behind).find(
      (one) => isFree(one) && !isFiller(one.value.toLowerCase()) && findProblem(field, one.value) === null,
    );
    if (found) put(field, found.value, found);
  }
}

type Word = TextValue & { readonly lower: string };

/** Lists the words that may be the value of a field, likeliest first. `behind`: the words after the field's name. */
function wordsFor(field: Field, text: string, words: readonly Word[], behind: readonly Word[]): readonly TextValue[] {
  if (getValueKind(field) === 'search-text') {
    const match = SEARCHED.exec(text);
    const value = match?.[1]?.replace(/[.!?]+$/, '') ?? '';
    const start = (match?.index ?? 0) + (match?.[0].lastIndexOf(value) ?? 0);
    return [...findQuoted(text), ...(value === '' ? [] : [{ value, start, end: start + value.length }])];
  }
  if (getValueKind(field) === 'one-word') {
    const given = words.filter(({ lower }) => /^[a-z]+_[\w:.-]*\d$/.test(lower));
    const dotted = words.filter(({ lower }) => field.required && /[\p{L}\p{N}]\.[\p{L}\p{N}]/u.test(lower));
    return [...given, ...behind, ...dotted];
  }
  if (getValueKind(field) !== 'identifier') return [];
  return behind.filter(({ lower }) => !isCommonWord(lower));
}

function fillTexts({ request: { text }, open, isFree, put }: FillingState, name: TextValue | null): void {
  for (const field of open().filter((field) => getValueKind(field) === 'text')) {
    const labeled = field.required || tokenize(text).some(({ lower }) => isLabelOf(lower, field));
    const quoted = labeled ? findQuoted(text).find(isFree) : null;
    const described = [quoted, findDescription(text, field, name)].find((one) => one && isFree(one));
    const found =
      described ?? (field.required && name && /desc/i.test(field.name) ? findAddresses(text)[0] : null) ?? null;
    if (found) put(field, found.value, found);
  }
}

/** Words that refer to the current project. */
const POINTS = /\b(?:it|its|it's|that|this|the project|the app|there|them|they|same|again)\b/i;
/** Fills fields with known names; an unknown name becomes a problem. */
function fillFromFacts(
  { request: { text, facts, language }, mentions, open, isFree, put }: FillingState,
  problems: SlotProblem[],
): void {
  const nowhere = { start: text.length, end: text.length };
  for (const field of open().filter(takesKnownName)) {
    if (problems.some((problem) => problem.field === field)) continue;
    const known = listKnownNames(facts, field.entity);
    const unknown = findUnknownNames(text, field.entity ?? '', mentions, language.words).find(isFree);
    const points = facts.currentProject !== null && POINTS.test(text);
    if (unknown && known.length > 0) problems.push({ kind: 'unknown-name', field, written: unknown.value });
    else if (unknown && !Object.hasOwn(facts.known, field.entity ?? '')) put(field, unknown.value, unknown);
    else if (field.entity === 'project' && points) put(field, facts.currentProject, nowhere);
    else if (field.required && known.length === 1) put(field, known[0], nowhere);
  }
}
