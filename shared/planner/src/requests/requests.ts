import { say } from '@signalbox/messages/say';
import type { Run } from '../conversation/history.ts';
import type { Field } from '../slots/schema.ts';
import type { CapabilityIndex, IndexedTool } from '../match/capability-index.ts';
import { EFFECTS, VERBS } from '../text/concepts.ts';
import { takesKnownName } from '../slots/field-kinds.ts';
import { readFollowUp } from '../conversation/follow-ups.ts';
import { helpText, notInstalledText, unclearText } from '../slots/introductions.ts';
import { readLiteral } from '../slots/literals.ts';
import type { PlannedCall } from '../conversation/marks.ts';
import { matchTools } from '../match/match.ts';
import { findMentions, withPlaceholders } from '../text/mentions.ts';
import { type Mood, isAsking } from '../moods/moods.ts';
import { askForProblem, askForSlot, askWhatToChange, askWhichTool } from '../conversation/questions.ts';
import { pointsBack, referredValue } from '../conversation/references.ts';
import { readSearch } from '../moods/searches.ts';
import { fillSlots } from '../slots/slots.ts';
import { type Step, sayStep } from '../conversation/step.ts';
import { isFiller, sensesOf, tokenize, wordsOf } from '../text/tokens.ts';
import { type Surroundings, type Understanding, meantTools, understand } from './understanding.ts';
import { WORDS, asLine } from '../words.ts';

/** A longer question finds nothing that its beginning would not find. */
const QUERY_LENGTH = 300;

/** What to do about a text that answers no question. The text is clean and no small talk. */
export function stepForRequest(text: string, around: Surroundings): Step {
  const literal = readLiteral(text, around.index, around.facts.currentProject);
  if (literal) return stepForTool(literal.tool, '', literal.args, around);
  const search = readSearch(text);
  const understood = understand(text, around);
  if (search && !isKnownThing(search.query, around) && !showsIt(search.scope, understood))
    return searchStep(search.query, search.scope, around);
  const followUp = readFollowUp(text, understood, around);
  if (followUp) return stepForTool(followUp.tool, followUp.text, followUp.given, around);
  if (understood.spokenOf || understood.mood === 'forbidden' || understood.mood === 'quoted') {
    const blocked = blockedText(understood.mood);
    if (blocked) return blocked;
  }
  const [best, second] = meantTools(understood);
  if (best && second) return askWhichTool(text, [best.tool, second.tool]);
  if (best) {
    const step = stepForTool(best.tool, understood.text, {}, around);
    // Whether one should is no reason to ask for more.
    return understood.mood === 'advice' && step.kind === 'ask' ? searchStep(text, 'all', around) : step;
  }
  if (isForDocumentation(understood, around) || (understood.spokenOf && isAsking(understood.mood)))
    return searchStep(text, 'all', around);
  if (isChatter(text, around)) return sayStep(say('planner.chat'), 'small-talk');
  const step = sayStep(unclearText(text, nearestTools(text, around), around.index), 'cannot');
  return { ...step, isUnclear: true };
}

/** A statement that names nothing of ours, and orders nothing. */
function isChatter(text: string, { facts, index }: Surroundings): boolean {
  const [first] = tokenize(text);
  if (!first || !/^(?:i|i'm|i've|we|we're|he|she|they|my|our|life|people|everybody|everyone)$/.test(first.lower))
    return false;
  if (text.endsWith('?') || /\b(?:please|pls|needs?|wants?|would like|could use|help|can't|cannot)\b/i.test(text))
    return false;
  return findMentions(text, facts, index.words).length === 0 && !wordsOf(text).some((word) => speaksOfUs(word, index));
}

/** The tools that a text comes nearest to, though not near enough. */
function nearestTools(text: string, { facts, index }: Surroundings): readonly IndexedTool[] {
  const mentions = findMentions(text, facts, index.words, index.closed);
  return matchTools(withPlaceholders(text, mentions), index)
    .filter(({ tool, score }) => tool.installed && score >= NEAR_ENOUGH)
    .map(({ tool }) => tool);
}

/** Below it, a tool has next to nothing to do with what was said. */
const NEAR_ENOUGH = 0.25;

/** Calls the tool with what the text says, loads its group first, or asks for the first thing that is missing. */
export function stepForTool(
  tool: IndexedTool,
  text: string,
  given: Readonly<Record<string, unknown>>,
  around: Surroundings,
  tries = 0,
): Step {
  if (!tool.installed) return notInstalled(tool, around);
  const { facts, index } = around;
  const { args: found, problem } = fillSlots({
    text,
    fields: tool.fields,
    facts,
    words: index.words,
    closed: index.closed,
    given,
  });
  const args = { ...found, ...referred(tool, text, found, problem?.field.name ?? null, around) };
  if (problem && !Object.hasOwn(args, problem.field.name))
    return askForProblem(tool, args, problem, facts, text, tries);
  const missing = tool.fields.find((field) => field.required && !Object.hasOwn(args, field.name));
  if (missing) return askForSlot(tool, args, missing, facts, text, tries);
  const change = askWhatToChange(tool, args, text, facts);
  return change ?? stepForCall({ tool: tool.name, args }, tool, around);
}

/**
 * Arguments that the text only points at. A tool that looks may take what the conversation is about; one that changes something
 * takes only what the text points at, or goes on from in the same group.
 */
function referred(
  tool: IndexedTool,
  text: string,
  args: Readonly<Record<string, unknown>>,
  troubled: string | null,
  { facts, index, last }: Surroundings,
): Record<string, unknown> {
  const taken: Record<string, unknown> = {};
  if (!last || text === '') return taken;
  const lastTool = index.tools.find(({ name }) => name === last.tool);
  const sameGroup = lastTool?.group === tool.group;
  const points = pointsBack(text);
  for (const field of tool.fields) {
    if (Object.hasOwn(args, field.name) || field.name === troubled) continue;
    const isThing = field.entity !== null && field.entity !== 'name' && field.entity !== 'text';
    const pointed =
      field.entity !== null &&
      new RegExp(
        String.raw`\b(?:that|this|the same) ${field.entity}\b|${field.entity === 'server' ? String.raw`\bthere\b` : '(?!)'}`,
        'i',
      ).test(text);
    const wanted =
      pointed || field.required
        ? pointed || points || tool.reads || (sameGroup && isElliptical(tool, text))
        : points && isThing && sameGroup && !takesKnownName(field, facts);
    if (!wanted || !(pointed || isThing || (points && sameGroup))) continue;
    const value =
      referredValue(field, text, last, lastTool) ?? (field.required ? saidBefore(field, last, { facts, index }) : null);
    if (value !== null && !(field.entity === 'port' && !field.required && ANOTHER.test(text)))
      taken[field.name] = value;
  }
  return taken;
}

/** What was said with the last request and its tool did not take: "who has port 20001? release it". */
function saidBefore(field: Field, last: Run, { facts, index }: Pick<Surroundings, 'facts' | 'index'>): unknown {
  if (last.text === '') return null;
  const quiet = { ...facts, currentProject: null };
  const { args } = fillSlots({
    text: last.text,
    fields: [field],
    facts: quiet,
    words: index.words,
    closed: index.closed,
    given: {},
  });
  return args[field.name] ?? null;
}

/** "A new one there" is not the port that was spoken of. */
const ANOTHER = /\b(?:new|another|other|more|next)\b/i;

/** "Roll back" and "back to 7.0" are about what was spoken of; "I need a port" is about something new. */
function isElliptical({ name }: IndexedTool, text: string): boolean {
  const [verb] = sensesOf(name.split('_')[0] ?? '');
  const makes = ['TAKE', 'CREATE', 'REGISTER'].includes(verb?.meaning ?? '');
  return !makes && tokenize(text).filter(({ lower }) => !isFiller(lower)).length <= MOST_ELLIPTICAL;
}

const MOST_ELLIPTICAL = 4;

/** Makes a call, after loading its group when it is not loaded. */
export function stepForCall(call: PlannedCall, tool: IndexedTool, { bound }: Surroundings): Step {
  if (bound.has(call.tool)) return { kind: 'call', call };
  if (tool.group === null || !bound.has('request_capabilities'))
    return sayStep(WORDS.cannotLoad(tool.group ?? tool.name), 'refused');
  return { kind: 'load', group: tool.group, reason: WORDS.needs(tool.group, tool.summary), then: call };
}

/** The answer to a greeting or a call for help. */
export function introduce(greeting: boolean, { index }: Surroundings): Step {
  return sayStep(helpText(index, greeting), greeting ? 'greeting' : 'help');
}

/** Says that the group which the tool stands for is not installed. */
export function notInstalled(tool: IndexedTool, { index }: Surroundings): Step {
  return sayStep(notInstalledText(tool, index), 'not-installed', tool.group ?? tool.name);
}

/** Why nothing is done although something was spoken of; null when the mood forbids nothing. */
export function blockedText(mood: Mood): Step | null {
  switch (mood) {
    case 'forbidden':
      return sayStep(say('planner.left-alone'), 'cancelled');
    case 'told':
    case 'quoted':
      return sayStep(say('planner.only-told'), 'small-talk');
    case 'conditional':
      return sayStep(say('planner.no-conditions'), 'cannot');
    case 'later':
      return sayStep(say('planner.not-later'), 'cannot');
    default:
      return null;
  }
}

/** Questions about us and how things are done are for the documentation; about the rest of the world it says nothing. */
function isForDocumentation({ mood, text }: Understanding, { index }: Surroundings): boolean {
  if (mood === 'knowledge' || mood === 'advice') return true;
  const asks = isAsking(mood) || text.endsWith('?');
  return asks && wordsOf(text).some((word) => speaksOfUs(word, index) || OURS.has(word));
}

function speaksOfUs(word: string, index: CapabilityIndex): boolean {
  return (
    word.length > 3 &&
    sensesOf(word).some(
      ({ meaning, share }) => share === 1 && (EFFECTS.has(meaning) || !VERBS.has(meaning)) && index.words.has(meaning),
    )
  );
}

/** What the documentation of the product speaks of, beside what the tools do. */
const OURS: ReadonlySet<string> = new Set(
  (
    'approval approvals approve role roles risk permission permissions right rights policy rule rules signalbox token bot retention backup backups audit ' +
    'message messages timeout deadline thread threads lane turn job jobs tool tools capability capabilities model key config setting settings docs ' +
    'documentation security secret secrets limit limits viewer viewers developer developers operator operators admin admins'
  ).split(' '),
);

/** The logs of a service are shown by whoever reads them, not searched in the documentation. */
function showsIt(scope: string, { matches }: Understanding): boolean {
  return scope === 'logs' && (matches[0]?.tool.installed ?? false);
}

function isKnownThing(query: string, { facts, index }: Surroundings): boolean {
  return findMentions(query, facts, index.words).some(({ start, end }) => start <= 4 && end >= query.length - 1);
}

/** Looks something up in the documentation; says that it cannot where there is none. */
export function searchStep(query: string, scope: string, { bound }: Surroundings): Step {
  if (!bound.has('search_knowledge')) return sayStep(say('planner.no-search'), 'cannot');
  return { kind: 'call', call: { tool: 'search_knowledge', args: { query: asLine(query, QUERY_LENGTH), scope } } };
}
