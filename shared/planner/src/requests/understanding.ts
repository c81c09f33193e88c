import { type Field, findProblem } from '../slots/schema.ts';
import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import type { Run } from './history.ts';
import { type Mention, findMentions } from '../names/mentions.ts';
import type { Match } from '../rank/rank.ts';
import { rankTools } from '../rank/rank.ts';
import type { IndexedTool, ToolIndex } from '../rank/tool-index.ts';

/** What requests are read against. */
export interface Surroundings {
  readonly facts: RequestFacts;
  readonly index: ToolIndex;
  /** Names of the tools that are loaded. */
  readonly bound: ReadonlySet<string>;
  /** The last tool that worked in this conversation. */
  readonly last: Run | null;
  /** Whether it may plan changes, or only looks things up. */
  readonly mayChange: boolean;
}

/** From here on, a text asks for the tool; chosen on the development set, where it tells best what is asked for from what is not. */
export const CONFIDENT = 0.46;
/** From here on, a tool is near enough to be offered. */
export const NEAR = 0.06;

/** The known names in a text. */
export function mentionsIn(text: string, { facts, index }: Pick<Surroundings, 'facts' | 'index'>): readonly Mention[] {
  return findMentions(text, facts, index);
}

/** The tools, nearest first, that a text may ask for. A few words that name nothing, or point back, go on from the last tool, so those for the same thing lie nearer. */
export function matchesFor(text: string, around: Pick<Surroundings, 'facts' | 'index' | 'last'>): readonly Match[] {
  const { index, last } = around;
  const said = text.replace(NOT_NEEDED, 'unneeded');
  if (!/\p{L}/u.test(said)) return [];
  const mentions = mentionsIn(said, around);
  const matches = rankTools(said, mentions, index);
  const lastTool = index.tools.find(({ name }) => name === last?.tool);
  if (!lastTool || text.split(' ').length > SHORT || (mentions.length > 0 && !pointsBack(text))) return matches;
  const isShared = ({ group, topics }: IndexedTool): boolean =>
    group === lastTool.group && [...topics].some((topic) => lastTool.topics.has(topic));
  return matches
    .map(({ tool, score }) => ({ tool, score: isShared(tool) ? score * SAME_TOPIC : score }))
    .toSorted((left, right) => right.score - left.score);
}

/** So few words go on from what was spoken of before. */
const SHORT = 6;
const SAME_TOPIC = 1.25;

/** What is needed no longer is to be given back. */
const NOT_NEEDED =
  /\b(?:don'?t|do not|doesn'?t|no longer|not|nobody|nothing) (?:really )?(?:need|use|want)(?:s|ed)?\b/gi;

/** Words that point at what was spoken of before. */
const POINTING =
  /\b(?:the (?:old|previous|last|other|same) \w+|it|its|it's|that|this|these|those|them|their|there|here|same|again|one|too|as well|another)\b/i;
/** Whether a text points back: "it", "there", "the same". */
export function pointsBack(text: string): boolean {
  return POINTING.test(text);
}

/**
 * What an empty field stands for when the text points back: the same argument of the last tool, or what its result says.
 * Null when nothing fits the field.
 */
export function findReferredValue(field: Field, last: Run, lastTool: IndexedTool | undefined): unknown {
  const candidates = [...named(field, last.args, lastTool), ...named(field, last.result, lastTool)];
  return (
    candidates.find((value) => value !== undefined && value !== null && findProblem(field, value) === null) ?? null
  );
}

/** By the field's own name, by the kind of thing it holds, and the name of a thing that was just made. */
function named(field: Field, source: unknown, lastTool: IndexedTool | undefined): readonly unknown[] {
  if (typeof source !== 'object' || source === null) return [];
  const values = new Map(Object.entries(source));
  const sameKind = lastTool?.fields.find(({ entity }) => entity !== null && entity === field.entity)?.name;
  const made = field.entity !== null && lastTool?.topics.has(field.entity) ? values.get('name') : undefined;
  const byKind = field.entity === null ? undefined : values.get(field.entity);
  return [values.get(field.name), sameKind === undefined ? undefined : values.get(sameKind), byKind, made];
}
