import { type Field, findProblem } from '../slots/schema.ts';
import type { ModelRequestFacts } from '@signalbox/contracts/tool-catalog';
import type { ToolRun } from './history.ts';
import { type Mention, findMentions, isCommonWord } from '../names/mentions.ts';
import { type RankedTool, WORD_BY_WORD, rankTools } from '../rank/rank.ts';
import { findHoldReason } from '../text/holds.ts';
import { tokenize } from '../text/tokens.ts';
import { ORDERED_TOOLS, findTopicTools, isAboutForeignThing } from '../rank/topics.ts';
import type { IndexedTool, ToolIndex } from '../rank/tool-index.ts';

/** The context in which the planner reads requests. */
export interface RequestContext {
  readonly facts: ModelRequestFacts;
  readonly index: ToolIndex;
  /** Names of the loaded tools. */
  readonly bound: ReadonlySet<string>;
  /** Last successful tool run of this conversation. */
  readonly last: ToolRun | null;
  /** False when only lookups may be planned. */
  readonly mayChange: boolean;
}

/** Minimum score at which a text asks for a tool; tuned on the development set. */
export const MIN_MATCH_SCORE = 0.46;
/** Minimum score at which a tool is offered as a choice. */
export const MIN_OFFER_SCORE = 0.06;

/** Finds the known names in a text. */
export function listMentions(
  text: string,
  { facts, index }: Pick<RequestContext, 'facts' | 'index'>,
): readonly Mention[] {
  return findMentions(text, facts, index);
}

/** Ranks the tools that a text may ask for. A short or referring text prefers tools with the subject of the last tool. */
export function rankRequestTools(
  text: string,
  around: Pick<RequestContext, 'facts' | 'index' | 'last'>,
): readonly RankedTool[] {
  const { index, last } = around;
  const said = text.replace(NOT_NEEDED, 'unneeded');
  if (!/\p{L}/u.test(said)) return [];
  const mentions = listMentions(said, around);
  const matches = preferTopic(rankTools(said, mentions, index), said, mentions, index);
  const lastTool = index.tools.find(({ name }) => name === last?.tool);
  if (!lastTool || text.split(' ').length > SHORT || (mentions.length > 0 && !pointsBack(text))) return matches;
  const isShared = ({ group, topics }: IndexedTool): boolean =>
    group === lastTool.group && [...topics].some((topic) => lastTool.topics.has(topic));
  return matches
    .map(({ tool, score }) => ({ tool, score: isShared(tool) ? score * SAME_TOPIC : score }))
    .toSorted((left, right) => right.score - left.score);
}

/** Score of a tool whose topic a text names, and the highest score of all others: its lead is clear, also for a change. */
export const MIN_TOPIC_SCORE = 0.69;
const MAX_OTHER_SCORE = 0.45;
/** Too low for a shortlist. */
const FOREIGN_SCORE = 0.1;

/** Puts the most similar tool of a topic first. */
function preferTopic(
  matches: readonly RankedTool[],
  text: string,
  mentions: readonly Mention[],
  { words }: ToolIndex,
): readonly RankedTool[] {
  if (isAboutForeignThing(text, mentions))
    return matches.map(({ tool, score }) => ({ tool, score: Math.min(score, FOREIGN_SCORE) }));
  const topic = findTopicTools(text, mentions);
  const meant = matches.find(({ tool }) => tool.installed && topic.includes(tool.name));
  // A hint that is said word by word is meant, unless one of its words was only taken for a slip.
  const isKnown = tokenize(text).every(
    ({ lower, start }) =>
      isCommonWord(lower) || words.has(lower) || /\d/.test(lower) || mentions.some((one) => one.start === start),
  );
  const isOther = isKnown && (matches[0]?.score ?? 0) >= WORD_BY_WORD && (meant?.score ?? 0) < MIN_TOPIC_SCORE;
  if (!meant || isOther || (ORDERED_TOOLS.has(meant.tool.name) && findHoldReason(text) !== null)) return matches;
  const others = matches
    .filter((match) => match !== meant)
    .map(({ tool, score }) => ({ tool, score: Math.min(score, MAX_OTHER_SCORE) }));
  return [{ tool: meant.tool, score: Math.max(meant.score, MIN_TOPIC_SCORE) }, ...others];
}

/** A text of at most this many words continues the previous subject. */
const SHORT = 6;
const SAME_TOPIC = 1.25;

/** Phrases for giving a resource back, such as "not needed". */
const NOT_NEEDED =
  /\b(?:don'?t|do not|doesn'?t|no longer|not|nobody|nothing) (?:really )?(?:need|use|want)(?:s|ed)?\b/gi;

/** Words that refer to the previous subject. */
const POINTING =
  /\b(?:the (?:old|previous|last|other|same) \w+|it|its|it's|that|this|these|those|them|their|there|here|same|again|one|too|as well|another)\b/i;
/** True when a text refers to something earlier: "it", "there", "the same". */
export function pointsBack(text: string): boolean {
  return POINTING.test(text);
}

/** For a text that refers to something earlier, finds the value of an empty field in the last tool's arguments or result. */
export function findReferredValue(field: Field, last: ToolRun, lastTool: IndexedTool | undefined): unknown {
  const candidates = [...named(field, last.args, lastTool), ...named(field, last.result, lastTool)];
  return (
    candidates.find((value) => value !== undefined && value !== null && findProblem(field, value) === null) ?? null
  );
}

/** Lists candidate values: by field name, by entity, and the name of a newly created thing. */
function named(field: Field, source: unknown, lastTool: IndexedTool | undefined): readonly unknown[] {
  if (typeof source !== 'object' || source === null) return [];
  const values = new Map(Object.entries(source));
  const sameKind = lastTool?.fields.find(({ entity }) => entity !== null && entity === field.entity)?.name;
  const made = field.entity !== null && lastTool?.topics.has(field.entity) ? values.get('name') : undefined;
  const byKind = field.entity === null ? undefined : values.get(field.entity);
  return [values.get(field.name), sameKind === undefined ? undefined : values.get(sameKind), byKind, made];
}
