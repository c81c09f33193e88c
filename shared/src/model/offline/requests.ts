import type { CapabilityIndex, IndexedTool } from './capability-index.ts';
import type { PlannerFacts } from './catalog.ts';
import { findMentions, withPlaceholders } from './mentions.ts';
import { CERTAIN, CLEAR_LEAD, CONFIDENT, matchTools, type Match } from './match.ts';
import type { PlannedCall } from './marks.ts';
import { askForProblem, askForSlot, askWhichTool } from './questions.ts';
import { fillSlots } from './slots.ts';
import { asksAbout, readSearch } from './small-talk.ts';
import { findStrangeNames } from './strange-names.ts';
import { helpText, notInstalledText, unclearText } from './introductions.ts';
import { sayStep, type Step } from './step.ts';
import { asLine, WORDS } from './words.ts';

/** What requests are read against. */
export interface Surroundings {
  readonly facts: PlannerFacts;
  readonly index: CapabilityIndex;
  /** Names of the tools that are loaded. */
  readonly bound: ReadonlySet<string>;
}

/** A longer question finds nothing that its beginning would not find. */
const QUERY_LENGTH = 300;

/** How much more sure one must be to take a question about something ("how do I …") for a request to do it. */
const ABOUT_DOUBT = 0.25;

/** The tools that a text asks for, best first: one when it is clear, two when it is not, none when it asks for nothing. */
export function findRequested(text: string, { facts, index }: Surroundings): readonly Match[] {
  const mentions = findMentions(text, facts, index.words);
  const strange = findStrangeNames(text, null, mentions, index.words).map((name) => ({
    ...name,
    kind: 'unknown',
    name: '',
  }));
  const matches = matchTools(withPlaceholders(text, [...mentions, ...strange]), index);
  const about = asksAbout(text);
  const doubted = matches
    .map((match) => (about && match.score < CERTAIN ? { ...match, score: match.score - ABOUT_DOUBT } : match))
    .filter(({ score }) => score >= CONFIDENT)
    .sort((left, right) => right.score - left.score);
  const [best, second] = doubted;
  if (!best) return [];
  if (!second || best.score - second.score >= CLEAR_LEAD) return [best];
  // Between two that are as near, the one that can be done here is meant.
  if (best.tool.installed !== second.tool.installed) return [best.tool.installed ? best : second];
  if (!best.tool.installed) return [best];
  return [best, second];
}

/** What to do about a text that answers no question. The text is clean and no small talk. */
export function stepForRequest(text: string, around: Surroundings): Step {
  const search = readSearch(text);
  if (search) return searchStep(search.query, search.scope, around);
  const [best, second] = findRequested(text, around);
  if (best && second) return askWhichTool(text, [best.tool, second.tool]);
  if (best) return stepForTool(best.tool, text, {}, around);
  if (asksAbout(text) || text.endsWith('?')) return searchStep(text, 'all', around);
  return sayStep(unclearText(around.index), 'cannot');
}

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
  const { args, problem } = fillSlots({ text, fields: tool.fields, facts, words: index.words, given });
  if (problem) return askForProblem(tool, args, problem, facts, text, tries);
  const missing = tool.fields.find((field) => field.required && !Object.hasOwn(args, field.name));
  if (missing) return askForSlot(tool, args, missing, facts, text, tries);
  return stepForCall({ tool: tool.name, args }, tool, around);
}

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

function searchStep(query: string, scope: string, { bound }: Surroundings): Step {
  if (!bound.has('search_knowledge')) return sayStep(WORDS.noSearch, 'cannot');
  return { kind: 'call', call: { tool: 'search_knowledge', args: { query: asLine(query, QUERY_LENGTH), scope } } };
}
