import { findQuantities } from '../text/quantities.ts';
import type { IndexedTool } from '../match/capability-index.ts';
import { takesNewName, takesVersion } from '../slots/field-kinds.ts';
import type { Run } from './history.ts';
import { isLabelOf, isSameChoice } from '../slots/labels.ts';
import { CERTAIN, CONFIDENT } from '../match/match.ts';
import { beginsOrder } from '../moods/order-words.ts';
import { findMentions } from '../text/mentions.ts';
import { problemOf } from '../slots/schema.ts';
import { referredValue } from './references.ts';
import { fillSlots } from '../slots/slots.ts';
import { isFiller, sensesOf, tokenize } from '../text/tokens.ts';
import type { Surroundings, Understanding } from '../requests/understanding.ts';

/** A message that goes on from the last tool: which tool, what it is given, and the text for the rest. */
export interface FollowUp {
  readonly tool: IndexedTool;
  readonly given: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Words that only say that something is like before, or different. */
const LIKE_BEFORE = set(
  'and also too well same again as what about how only just instead meant mean sorry no not oh now then please one ones for on in do make it that this there ' +
    'wrong other another more with lines line rather actually i we the a an of to or but yes ok okay hm hmm them those these is are s please pls try repeat once ' +
    'time all next after at last past minutes minute hours hour days day from since and/or plus correct correction should be have been was said wanted ' +
    'exactly thing likewise similarly ditto additionally next project server app environment version show check see tell me let us look can you could would ' +
    'wait ah um uh hm hmm nope yes yep wanted all them repeat redo refresh retry rerun run where whats hows else still any further so far today yesterday few give get',
);
const REPEAT =
  /\b(?:again|once more|one more time|repeat|redo|refresh|retry|rerun|same (?:again|thing))\b|^(?:and |is it )?(?:still|now)\?*$/i;
const ALL_OF_THEM =
  /^(?:(?:and|show|list|now|no|just|me|please) )*(?:all|everything|every one|the rest)(?: of (?:them|it|those))?(?: please| pls)?[.!?]*$/i;
/** To look at something is no other change. */
const LOOKING = /\b(?:tell|show|check|see|look|list|info|how|status)\b/i;
const ANOTHER = /\b(?:another|one more|a second|and one|more)\b/i;
const TAKE_BACK =
  /\b(?:undo|undone|revert|take (?:it|that|this) back|give (?:it|that|this) back|put (?:it|that|this) back|oops|wrong one|reverse|roll (?:it|that|this) back|rollback|backout|back out|i take (?:it|that) back|as (?:it|they) (?:was|were) before)\b/i;

/** Reads a text that only makes sense after the last tool; null when it stands by itself. */
export function readFollowUp(text: string, understood: Understanding, around: Surroundings): FollowUp | null {
  const { last, index } = around;
  const lastTool = last && index.tools.find(({ name, installed }) => name === last.tool && installed);
  if (
    !last ||
    !lastTool ||
    ['forbidden', 'conditional', 'told', 'quoted', 'later', 'knowledge', 'advice'].includes(understood.mood)
  )
    return null;
  const [best] = understood.matches;
  const [first] = tokenize(text);
  // "Show project demo" stands by itself, whatever came before.
  if (best && best.score >= CERTAIN && best.tool.name !== lastTool.name && beginsOrder(first?.lower ?? '')) return null;
  const back = takenBack(text, last, lastTool, understood, around);
  if (back) return back;
  const going = goneAhead(text, last, lastTool, around);
  if (going) return going;
  const changed = otherOfTwo(text, last, lastTool, around) ?? newValues(text, last, lastTool, around);
  if (changed === null || restOf(text, lastTool.fields, changed, around).length > 0) return null;
  if (!lastTool.reads && understood.mood !== 'request') return null;
  if (ordersChoice(text, lastTool)) return null;
  if (!lastTool.reads && LOOKING.test(text)) return null;
  const makes = lastTool.fields.some(takesNewName);
  if (lastTool.reads && ALL_OF_THEM.test(text) && Object.keys(changed).length === 0) {
    const needed = Object.entries(last.args).filter(([name]) =>
      lastTool.fields.some((field) => field.name === name && field.required),
    );
    return { tool: lastTool, given: Object.fromEntries(needed), text: '' };
  }
  if (Object.keys(changed).length > 0) {
    const same = Object.entries(changed).every(([name, value]) => last.args[name] === value);
    if (makes || (same && !lastTool.reads && !REPEAT.test(text))) return null;
    return { tool: lastTool, given: { ...kept(last, lastTool, changed), ...changed }, text: '' };
  }
  if (makes || findMentions(text, around.facts, index.words, index.closed).length > 0) return null;
  if (REPEAT.test(text)) return { tool: lastTool, given: last.args, text: '' };
  if (ANOTHER.test(text) && !lastTool.reads) return { tool: lastTool, given: kept(last, lastTool, {}), text: '' };
  return null;
}

/** "Archive the first one" is no other list of archived ones: the choice is an order. */
function ordersChoice(text: string, { fields }: IndexedTool): boolean {
  const [first] = tokenize(text).filter(({ lower }) => !isFiller(lower));
  const choices = fields.flatMap((field) => field.choices);
  return (
    first !== undefined &&
    choices.some(
      (choice) =>
        isSameChoice(first.lower, choice) &&
        /^(?:un|re)?(?:archive|activate|shelve|retire|close|revive|resume)$/.test(first.lower),
    )
  );
}

/** Words that are neither values nor say that it is like before. */
function restOf(
  text: string,
  fields: IndexedTool['fields'],
  values: Readonly<Record<string, unknown>>,
  { facts, index }: Surroundings,
): readonly string[] {
  const taken = [...findMentions(text, facts, index.words, index.closed), ...findQuantities(text)];
  const choices = fields.flatMap((field) => field.choices);
  const said = Object.values(values).map((value) => String(value).toLowerCase());
  return tokenize(text)
    .filter(({ start, end, lower }) => {
      if (taken.some((span) => start >= span.start && end <= span.end)) return false;
      if (choices.some((choice) => isSameChoice(lower, choice)) || fields.some((field) => isLabelOf(lower, field)))
        return false;
      if (said.includes(lower)) return false;
      return !LIKE_BEFORE.has(lower) && !isFiller(lower) && !/\d/.test(lower);
    })
    .map(({ lower }) => lower);
}

/** What the text says anew of the last tool's arguments; null when it says something that the tool does not take. */
function newValues(
  text: string,
  last: Run,
  tool: IndexedTool,
  { facts, index }: Surroundings,
): Record<string, unknown> | null {
  const quiet = { ...facts, currentProject: null };
  const fields = tool.fields.filter(({ entity }) => entity !== 'text' && entity !== 'name');
  const { args, problem } = fillSlots({
    text: withUnit(text, last, fields),
    fields,
    facts: quiet,
    words: index.words,
    closed: index.closed,
    given: {},
  });
  if (problem) return null;
  const number = Object.keys(args).length === 0 ? lastNumber(text, last, tool) : null;
  if (number) return number;
  const names = findMentions(text, facts, index.words, index.closed);
  const used = new Set(Object.values(args).map(String));
  return names.every(
    ({ name, kind }) => used.has(name) || names.some((other) => other.kind !== kind && used.has(other.name)),
  )
    ? args
    : null;
}

/** "Make that two" after "1 GB" means 2 GB: a small bare number is in the unit that was spoken of, or in the one that people use. */
function withUnit(text: string, last: Run, fields: IndexedTool['fields']): string {
  const [only, ...more] = findQuantities(text);
  const measured = fields.some(({ name }) => name.endsWith('Mb') && Object.hasOwn(last.args, name));
  if (!only || only.unit !== null || more.length > 0 || !measured || only.value > MOST_GIGABYTES) return text;
  const said = findQuantities(last.text).find(({ unit }) => unit !== null)?.unit ?? 'gb';
  return `${text.slice(0, only.end)} ${said}${text.slice(only.end)}`;
}

/** Nobody asks for so few megabytes. */
const MOST_GIGABYTES = 63;

/** "Rather 20": a bare number is the one that was said before, when only one was. */
function lastNumber(text: string, last: Run, { fields }: IndexedTool): Record<string, unknown> | null {
  const [only, ...more] = findQuantities(text);
  const counted = fields.filter(
    ({ name, type, entity }) =>
      (type === 'integer' || type === 'number') && entity !== 'port' && Object.hasOwn(last.args, name),
  );
  const [field] = counted;
  if (!only || only.unit !== null || more.length > 0 || !field || counted.length > 1) return null;
  return problemOf(field, only.value) === null ? { [field.name]: only.value } : null;
}

/** "The other one", of two that are known: the one that the last tool was not about. Null when it says something else. */
function otherOfTwo(
  text: string,
  last: Run,
  { fields }: IndexedTool,
  { facts }: Surroundings,
): Record<string, unknown> | null {
  const [, kind] = /\bthe other(?: (one|server|machine|box|project|app|environment))?\b/i.exec(text) ?? [];
  if (!/\bthe other\b/i.test(text)) return null;
  const others = fields.flatMap(({ name, entity, choices }) => {
    const names = choices.length > 0 ? choices : (facts.known[entity ?? ''] ?? []);
    const other = names.find((candidate) => candidate !== last.args[name]);
    const isMeant = kind === undefined || kind === 'one' || sensesOf(kind).some(({ meaning }) => meaning === entity);
    return names.length === 2 && isMeant && Object.hasOwn(last.args, name) && other !== undefined
      ? [[name, other] as const]
      : [];
  });
  return others.length === 1 ? Object.fromEntries(others) : null;
}

const GO_AHEAD =
  /^(?:(?:good|great|ok|okay|fine|nice|perfect|cool|yes|yep|alright|then|so|and|please|well|super|now)[,.! ]+)*(?:go ahead|go for it|do it|do that|proceed|ship it|let's go|lets go|make it so|go on)(?: then| now| please)*[.! ]*$/i;

/** "Good, then go ahead" after a look: what was looked at is done, by the tool of the group that takes all that the look took. */
function goneAhead(text: string, last: Run, lastTool: IndexedTool, { index }: Surroundings): FollowUp | null {
  if (!lastTool.reads || !GO_AHEAD.test(text)) return null;
  const [tool, ...more] = index.tools.filter(
    (candidate) =>
      candidate.group === lastTool.group &&
      candidate.installed &&
      !candidate.reads &&
      [...candidate.topics].some((topic) => lastTool.topics.has(topic)) &&
      !verbsOf(candidate).some((meaning) => BACKWARD.has(meaning)) &&
      Object.keys(last.args).every((name) => candidate.fields.some((field) => field.name === name)),
  );
  return tool && more.length === 0 ? { tool, given: last.args, text: '' } : null;
}

/** What undoes, ends or removes is never what a look was meant for. */
const BACKWARD: ReadonlySet<string> = new Set(['UNDO', 'CANCEL', 'REMOVE']);

/** What stays of the last arguments: not what belongs to the one thing that is another now. */
function kept(last: Run, tool: IndexedTool, changed: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const other = tool.fields.some(
    ({ name, entity }) => entity === 'project' && Object.hasOwn(changed, name) && changed[name] !== last.args[name],
  );
  return Object.fromEntries(
    Object.entries(last.args).filter(([name]) => {
      const field = tool.fields.find((candidate) => candidate.name === name);
      if (!field) return false;
      if (!tool.reads && field.entity === 'port' && !field.required) return false;
      return !(other && !tool.reads && takesVersion(field));
    }),
  );
}

/** Opposites of what a tool's name does. */
const OPPOSITES: Readonly<Record<string, readonly string[]>> = {
  TAKE: ['REMOVE'],
  CREATE: ['REMOVE'],
  REGISTER: ['REMOVE'],
  REMOVE: ['TAKE'],
  DEPLOY: ['UNDO'],
};

/** "Undo that": the tool of the same group that does the opposite to the same thing. */
function takenBack(
  text: string,
  last: Run,
  lastTool: IndexedTool,
  understood: Understanding,
  around: Surroundings,
): FollowUp | null {
  if (!TAKE_BACK.test(text) || lastTool.reads) return null;
  const [best] = understood.matches;
  if (
    best &&
    best.score >= CONFIDENT &&
    findMentions(text, around.facts, around.index.words, around.index.closed).length > 0
  )
    return null;
  const done = [...verbsOf(lastTool), ...lastTool.topics];
  const wanted = done.flatMap((meaning) => OPPOSITES[meaning] ?? []);
  const tool = around.index.tools.find(
    (candidate) =>
      candidate.group === lastTool.group &&
      !candidate.reads &&
      candidate !== lastTool &&
      verbsOf(candidate).some((meaning) => wanted.includes(meaning)) &&
      [...candidate.topics].some((topic) => lastTool.topics.has(topic)),
  );
  if (!tool) return null;
  const given = Object.fromEntries(
    tool.fields.flatMap((field) => {
      const value = field.required ? referredValue(field, text, last, lastTool) : null;
      return value === null ? [] : [[field.name, value] as const];
    }),
  );
  return { tool, given, text: '' };
}

function verbsOf({ name }: IndexedTool): readonly string[] {
  return sensesOf(name.split('_')[0] ?? '').map(({ meaning }) => meaning);
}
