import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import type { Run } from '../conversation/history.ts';
import { pointsBack } from '../conversation/references.ts';
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
