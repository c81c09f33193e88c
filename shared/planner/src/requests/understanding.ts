import { THINGS } from '../match/asked-words.ts';
import type { CapabilityIndex, IndexedTool } from '../match/capability-index.ts';
import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import { VERBS } from '../text/concepts.ts';
import { withFormed } from '../match/hint-sources.ts';
import { headOf, type Head } from '../slots/free-text.ts';
import type { Run } from '../conversation/history.ts';
import { takesText } from '../slots/field-kinds.ts';
import { CERTAIN, CLEAR_LEAD, CONFIDENT, type Match, matchTools } from '../match/match.ts';
import { type Mention, findMentions, withPlaceholders } from '../text/mentions.ts';
import { type Mood, type Sentence, isAsking, readMood } from '../moods/moods.ts';
import { findAddresses } from '../text/quantities.ts';
import { ERRANDS } from '../text/outside-words.ts';
import { pointsBack } from '../conversation/references.ts';
import { findStrangeNames } from '../text/strange-names.ts';
import { isFiller, sensesOf, tokenize } from '../text/tokens.ts';

/** What requests are read against. */
export interface Surroundings {
  readonly facts: RequestFacts;
  readonly index: CapabilityIndex;
  /** Names of the tools that are loaded. */
  readonly bound: ReadonlySet<string>;
  /** The last tool that worked in this conversation. */
  readonly last: Run | null;
  /** Whether it may plan changes, or only looks things up. */
  readonly mayChange: boolean;
}

/** What a text asks for. */
export interface Understanding {
  readonly mood: Mood;
  /** What is meant, without courtesy and what is forbidden. */
  readonly text: string;
  /** The tools that may be meant, best first: none that changes something unless the mood is a request. */
  readonly matches: readonly Match[];
  /** The tool that the text speaks of, but does not ask for: it is forbidden, conditional, or told. */
  readonly spokenOf: IndexedTool | null;
}

/** A question about a thing that is known is rather answered than not understood. */
const CONFIDENT_NAMED = 0.42;
/** How much surer one must be to take a question about something ("how do I …") for a wish to see something. */
const ABOUT_DOUBT = 0.4;
/** An order counts as long as what is told beside it is not much clearer. */
const ORDER_FIRST = 0.02;
const SURE_ORDER = 0.7;
const SAME_GROUP = 0.06;
/** A tool that changes something is spoken of, even if another one is a little nearer. */
const NEARLY = 0.15;
/** So few words hardly stand by themselves when something was spoken of before. */
const SHORT = 3;
const ADVICE_DOUBT = 0.15;
const ABILITY_DOUBT = 0.05;
/** From here on, the words of a text alone say what is meant. */
const PLAINLY = 0.95;
/** What became of something is rather its status than its output. */
const STATUS_FIRST = 0.15;
/** A question whether something was done speaks less clearly of it than an order to do it. */
const ABOUT_DONE = 0.1;

/** Concepts that a mood adds to what is asked for. */
const IMPLIED: Readonly<Partial<Record<Mood, readonly string[]>>> = {
  past: ['STATUS'],
  question: ['STATUS'],
  ability: ['READY'],
  advice: ['READY'],
};

/** What was understood of a text, for as long as somebody holds the names that it was read with. */
const understood = new WeakMap<
  object,
  Map<string, { readonly last: Run | null; readonly index: CapabilityIndex; readonly is: Understanding }>
>();

/** Reads what a clean text asks for. Twice the same is read once. */
export function understand(text: string, around: Omit<Surroundings, 'bound' | 'mayChange'>): Understanding {
  const { facts, index, last } = around;
  const texts =
    understood.get(facts.known) ?? new Map<string, { last: Run | null; index: CapabilityIndex; is: Understanding }>();
  understood.set(facts.known, texts);
  const known = texts.get(text);
  if (known && known.index === index && isSameRun(known.last, last)) return known.is;
  const is = read(text, around);
  texts.set(text, { last, index, is });
  return is;
}

function isSameRun(left: Run | null, right: Run | null): boolean {
  return left === right || (left !== null && right !== null && left.tool === right.tool && left.args === right.args);
}

function read(text: string, around: Omit<Surroundings, 'bound' | 'mayChange'>): Understanding {
  const { facts, index } = around;
  const names = new Set(Object.values(facts.known).flatMap((list) => list.map((name) => name.toLowerCase())));
  // What is told about a new thing asks for nothing, whatever it speaks of.
  const head = headOf(text, findMentions(text, facts, index.words, index.closed), index.words);
  const sentence = withWhole(readMood(head.text, names), head, text);
  const { mood: said, compared } = sentence;
  const whole = compare(compared, said, around);
  // What is told beside an order says what the order is about, and may sound like another one.
  const ordered = sentence.wanted === null ? null : compare(withNames(sentence.wanted, compared, around), said, around);
  const { all, mood, named, mentions } = ordered && isClearer(ordered, whole) ? ordered : whole;
  const [best] = all;
  const done =
    all.find(({ tool, score }) => !tool.reads && score >= CONFIDENT && score >= (best?.score ?? 0) - NEARLY)?.tool ??
    null;
  if (mood === 'forbidden' || mood === 'quoted') return { mood, text: sentence.text, matches: [], spokenOf: done };
  const told = done?.fields.some((field) => field.required && takesText(field)) ?? false; // "later" may be told of a new thing
  if ((mood === 'conditional' || (mood === 'later' && !told) || (mood === 'told' && done === best?.tool)) && done)
    return { mood, text: sentence.text, matches: [], spokenOf: done };
  const explained = (mood === 'knowledge' || mood === 'advice') && !named;
  const allowed = isAsking(mood)
    ? all.filter(
        (match) => mayAnswer(match, best) && !(explained && match.tool.installed) && !isBeside(match.tool, mood, done),
      )
    : all.filter(({ tool }) => mood !== 'told' || tool.reads || !tool.installed);
  const looking = lookInstead(mood, best, all);
  const looked = allowed.filter(({ tool }) => tool !== looking?.tool);
  const status =
    looking ?? (named && looked.every(({ score }) => score < CONFIDENT) ? statusOf(mood, all, mentions) : null);
  const matches = [...looked.filter(({ tool }) => tool !== status?.tool), ...(status ? [status] : [])]
    .map((match) => ({ ...match, score: match.score - doubtOf(mood, match) }))
    .filter(
      ({ tool, score }) =>
        score >= (named && tool.reads && (mood === 'question' || mood === 'past') ? CONFIDENT_NAMED : CONFIDENT),
    )
    .sort((left, right) => right.score - left.score);
  if (mood === 'ability' && !named && best && !best.tool.installed && best.score < CERTAIN)
    return { mood, text: sentence.text, matches: [], spokenOf: best.tool };
  return { mood, text: sentence.text, matches, spokenOf: matches.length === 0 ? done : null };
}

/** Arguments are taken from the whole text, unless something in it was forbidden. */
function withWhole(sentence: Sentence, head: Head, text: string): Sentence {
  return head.text.length < text.length && sentence.text === head.text ? { ...sentence, text } : sentence;
}

/** A text compared with all tools, and what it speaks of. */
interface Compared {
  readonly all: readonly Match[];
  readonly mood: Mood;
  /** A thing of an open kind is named. */
  readonly named: boolean;
  readonly mentions: readonly Mention[];
}

function compare(
  meant: string,
  said: Mood,
  { facts, index, last }: Omit<Surroundings, 'bound' | 'mayChange'>,
): Compared {
  const { name } = headOf(meant, findMentions(meant, facts, index.words, index.closed), index.words);
  const mentions = findMentions(meant, facts, index.words, index.closed);
  const addresses = findAddresses(meant);
  const strange = findStrangeNames(meant, null, [...mentions, ...addresses], index.words).map((name) => ({
    ...name,
    kind: 'unknown',
  }));
  const lastTool = last && index.tools.find(({ name }) => name === last.tool);
  const short = tokenize(meant).filter(({ lower }) => !isFiller(lower)).length <= SHORT;
  const errand = ERRANDS.has(tokenize(meant).find(({ lower }) => !isFiller(lower))?.lower ?? '');
  const goesOn = lastTool !== undefined && lastTool !== null && (pointsBack(meant) || (short && !errand));
  // That it was about a service says nothing: half of the tools are.
  const topics = goesOn
    ? [...[...lastTool.topics].filter((topic) => topic !== 'service'), ...thingsIn(last?.text ?? '')]
    : [];
  const places = [...mentions, ...strange].filter(
    (place) => !name || place.end <= name.start || place.start >= name.end,
  );
  const called = name ? [{ kind: 'called', ...name }] : [];
  const placed = withFormed(withPlaceholders(meant, [...places, ...called]), index.forms);
  const toCompare = lastTool && last ? withReference(placed, last, lastTool) : placed;
  const named = mentions.some(({ kind }) => !Object.hasOwn(index.closed, kind));
  const mood = said === 'knowledge' && isWhyOf(meant, named, goesOn) ? 'past' : said;
  const implied = mood === 'question' && !named && topics.length === 0 ? [] : (IMPLIED[mood] ?? []);
  const making = name ? ['CREATE'] : []; // who gives something a name makes it
  const own = matchTools(toCompare, index, { implied, topics: making });
  // What is said plainly is meant, whatever was spoken of before.
  const plainly = topics.length > 0 && isPlain(own[0]?.score ?? 0, meant, lastTool?.reads ?? false, index);
  const all =
    plainly || topics.length === 0
      ? own
      : matchTools(toCompare, index, { implied, topics: [...new Set([...topics, ...making])] });
  return { all: goesOn && !plainly ? withGroup(all, lastTool.group) : all, mood, named, mentions };
}

/** What points back is only plain when it names another thing: "its errors", and not "cancel it". */
function isPlain(score: number, text: string, looked: boolean, index: CapabilityIndex): boolean {
  if (!pointsBack(text)) return score >= (looked ? CERTAIN : PLAINLY);
  const names = tokenize(text).some(({ lower }) =>
    sensesOf(lower).some(({ meaning, share }) => share === 1 && !VERBS.has(meaning) && index.words.has(meaning)),
  );
  return looked && names && score >= CERTAIN;
}

/** Why something is so with a thing is seen at the thing; why something happened is seen at what happened last. */
function isWhyOf(text: string, named: boolean, goesOn: boolean): boolean {
  if (named) return /^why\b|\bwhy[?!. ]*$/i.test(text);
  const happened = /^(?:(?:but|so|and|ok|okay)[, ]+)?why (?:did|has|had|was|is|isn't|didn't)\b/i.test(text);
  return happened && (goesOn || /\b(?:deploy|deployment|rollback|release|build)\b/i.test(text));
}

/** Things that a text speaks of: "release it" after "who has port 20001" is about a port. */
function thingsIn(text: string): readonly string[] {
  return tokenize(text).flatMap(({ lower }) => {
    const [meant] = sensesOf(lower);
    return meant?.share === 1 && THINGS.has(meant.meaning) ? [meant.meaning] : [];
  });
}

/** Who goes on from something stays with it rather than leaves it. */
function withGroup(all: readonly Match[], group: string | null): readonly Match[] {
  return all
    .map((match) => (match.tool.group === group ? { ...match, score: match.score + SAME_GROUP } : match))
    .toSorted((left, right) => right.score - left.score);
}

/** Whether what is ordered says more clearly what is meant than all that was said. */
function isClearer(ordered: Compared, whole: Compared): boolean {
  const [best] = ordered.all;
  const surely = best !== undefined && best.tool.installed && !best.tool.reads && best.score >= SURE_ORDER;
  return (best?.score ?? 0) >= (whole.all[0]?.score ?? 0) - (surely ? 1 : ORDER_FIRST);
}

/** The order with the names of what is spoken of beside it. */
function withNames(wanted: string, all: string, { facts, index }: Pick<Surroundings, 'facts' | 'index'>): string {
  const open = findMentions(all, facts, index.words, index.closed).filter(
    ({ kind }) => !Object.hasOwn(index.closed, kind),
  );
  const names = new Set(open.map(({ start, end }) => all.slice(start, end)));
  return [wanted, ...[...names].filter((name) => !wanted.includes(name))].join(' ');
}

/** The tools that are meant: one when it is clear, two when it is not, none when nothing is asked for. */
export function meantTools({ matches }: Understanding): readonly Match[] {
  const [best, second] = matches;
  if (!best) return [];
  if (!second || best.score - second.score >= CLEAR_LEAD) return [best];
  // Between two that are as near, the one that can be done here is meant, and looking does less harm than doing.
  if (best.tool.installed !== second.tool.installed) return [best.tool.installed ? best : second];
  if (!best.tool.installed) return [best];
  if (best.tool.reads !== second.tool.reads) return [best];
  // Of two that make something, the one that needs less is meant by who says no more.
  const needs = needed(best.tool) - needed(second.tool);
  if (Math.abs(needs) > 1) return [needs < 0 ? best : second];
  // Looking at the wrong thing does no harm; asking each time does some.
  if (best.tool.reads && best.score > second.score) return [best];
  return [best, second];
}

function needed({ fields }: IndexedTool): number {
  return fields.filter(({ required }) => required).length;
}

/** "That server" names its kind itself. */
const POINTED_KIND = /\b(?:that|this|the same) (server|project)\b/iu;
const PRONOUN =
  /\b(?:it|its|it's|itself|them|those|this(?= one| project| server| port|$|[,.!?])|that(?= one| project| server| port| again| please| now|$|[,.!?])|the same(?: one| project| server)?)(?![\p{L}'])/iu;

/** "Archive it" is compared like "archive shop": what it stands for is of the kinds that the last tool was about. */
function withReference(text: string, last: Run, lastTool: IndexedTool): string {
  const nth = /\bthe (?:first|second|third|fourth|fifth|last) one\b/i;
  const listed = ['project', 'server'].filter((kind) => lastTool.topics.has(kind) && lastTool.name.startsWith('list_'));
  if (listed.length > 0 && nth.test(text)) return text.replace(nth, ` ¤${listed.join('+')} `);
  const kinds = lastTool.fields.flatMap(({ name, entity, choices }) =>
    entity !== null && choices.length === 0 && entity !== 'text' && Object.hasOwn(last.args, name)
      ? [entity === 'name' ? 'project' : entity]
      : [],
  );
  if (POINTED_KIND.test(text)) return text.replace(POINTED_KIND, ' ¤$1 ');
  return kinds.length === 0 ? text : text.replace(PRONOUN, ` ¤${[...new Set(kinds)].join('+')} `);
}

/**
 * Whether something has been done to a thing is seen by looking at the thing: "did someone archive blog" asks for the tool of the
 * same group that shows a project.
 */
function lookInstead(mood: Mood, best: Match | undefined, all: readonly Match[]): Match | null {
  if (
    (mood !== 'past' && mood !== 'question') ||
    !best?.tool.installed ||
    best.tool.reads ||
    best.score < CONFIDENT - ABOUT_DONE
  )
    return null;
  const things = new Set(
    best.tool.fields.flatMap(({ entity, choices }) => (entity !== null && choices.length === 0 ? [entity] : [])),
  );
  const near = all.filter(
    ({ tool }) =>
      tool.reads &&
      !isBeside(tool, mood, best.tool) &&
      tool.group === best.tool.group &&
      tool.fields.some(({ entity }) => entity !== null && things.has(entity)),
  );
  const rank = ({ tool, score }: Match): number => score + (tool.topics.has('STATUS') ? STATUS_FIRST : 0);
  const [first] = near.toSorted((left, right) => rank(right) - rank(left));
  return first ? { ...first, score: Math.max(first.score, best.score - ABILITY_DOUBT, CONFIDENT) } : null;
}

/** What nobody understood of a question about a known thing is answered with what is known of the thing. */
function statusOf(mood: Mood, all: readonly Match[], mentions: readonly Mention[]): Match | null {
  if (mood !== 'past' && mood !== 'question') return null;
  const kinds = new Set(mentions.map(({ kind }) => kind));
  const shows = all.find(
    ({ tool }) =>
      tool.installed &&
      tool.reads &&
      tool.topics.has('STATUS') &&
      tool.fields.every(({ required, entity }) => !required || (entity !== null && kinds.has(entity))) &&
      [...tool.topics].some((topic) => kinds.has(topic)),
  );
  return shows ? { tool: shows.tool, score: CONFIDENT } : null;
}

/** Whether something is ready is no answer to what became of it, nor to whether one should stop it. */
function isBeside({ topics, installed }: IndexedTool, mood: Mood, done: IndexedTool | null): boolean {
  if (!topics.has('READY') || !installed) return false;
  return mood === 'past' || ((mood === 'advice' || mood === 'ability') && done !== null && !done.topics.has('DEPLOY'));
}

/** Questions are answered by looking; a group that is missing only when it is asked about, and not a tool that is there. */
function mayAnswer({ tool, score }: Match, best: Match | undefined): boolean {
  return tool.installed ? tool.reads : !best?.tool.installed || score >= best.score - CLEAR_LEAD;
}

function doubtOf(mood: Mood, { tool, score }: Match): number {
  if (mood === 'knowledge') return tool.installed || score < CERTAIN ? ABOUT_DOUBT : 0;
  if (mood === 'advice') return ADVICE_DOUBT;
  return mood === 'ability' ? ABILITY_DOUBT : 0;
}
