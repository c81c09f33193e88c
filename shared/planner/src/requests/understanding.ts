import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import type { Run } from '../conversation/history.ts';
import { pointsBack } from '../conversation/references.ts';
import { type Mention, findMentions } from '../names/mentions.ts';
import type { Match } from '../rank/rank.ts';
import { rankTools } from '../rank/rank.ts';
import type { ToolIndex } from '../rank/tool-index.ts';

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

/** The tools, nearest first, that a text may ask for. What goes on from a tool rather stays with its group. */
export function matchesFor(text: string, around: Pick<Surroundings, 'facts' | 'index' | 'last'>): readonly Match[] {
  const { index, last } = around;
  const lastTool = index.tools.find(({ name }) => name === last?.tool);
  const said = withoutTold(text).replace(NOT_NEEDED, 'unneeded');
  if (!/\p{L}/u.test(said)) return [];
  const goesOn = lastTool !== undefined && text.split(' ').length <= SHORT;
  const topics = goesOn && pointsBack(text) ? [...lastTool.topics] : [];
  const matches = rankTools(said, mentionsIn(said, around), index, topics);
  if (!goesOn) return matches;
  const shared = ({ tool }: Match): boolean =>
    tool.group === lastTool.group && [...tool.topics].some((topic) => lastTool.topics.has(topic));
  return matches
    .map((match) => (shared(match) ? { ...match, score: match.score * SAME_TOPIC } : match))
    .toSorted((left, right) => right.score - left.score);
}

/** So few words go on from what was spoken of before. */
const SHORT = 6;
const SAME_TOPIC = 1.25;

/** What is needed no longer is to be given back. */
const NOT_NEEDED =
  /\b(?:don'?t|do not|doesn'?t|no longer|not|nobody|nothing) (?:really )?(?:need|use|want)(?:s|ed)?\b/gi;

/** A new project with its name. */
const NEW_PROJECT =
  /^.*?\b(?:create|set up|start|new|make|add)\b.{0,30}?\b(?:project|app)\b(?:.{0,40}?\b(?:called|named) \S+| [\w-]+(?=[,;:]| for | that | which | - ))/i;

/** What is told about a new thing asks for nothing, whatever it speaks of: "a project called deploy that lists servers". */
function withoutTold(text: string): string {
  const [head] = NEW_PROJECT.exec(text) ?? [];
  return head === undefined || head.length === text.length ? text : head;
}
