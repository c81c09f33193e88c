import { say } from '@signalbox/messages/say';
import { findConditionalChange, findCondition } from './conditions.ts';
import { createReading, createToolStep } from './calls.ts';
import { type Hold, asks, asksForKnowledge, readHold } from '../text/holds.ts';
import { findUnexplained } from './plain-order.ts';
import { readLiteral } from './literals.ts';
import { CONFIDENT, type Surroundings, matchesFor, mentionsIn, NEAR } from './understanding.ts';
import { readFollowUp } from './follow-ups.ts';
import { type Step, sayStep } from './marks.ts';
import { askWhichIsMeant, isSayable } from './questions.ts';
import type { Match } from '../rank/rank.ts';
import type { IndexedTool } from '../rank/tool-index.ts';
import { sayUnclear } from '../words.ts';
import { hasSense, isFiller, wordsOf } from '../text/tokens.ts';

/** A longer question finds nothing that its beginning would not find. */
const QUERY_LENGTH = 300;

/** What to do about a text that answers no question. The text is clean and no small talk. */
export function createRequestStep(said: string, around: Surroundings): Step {
  const text = said.replace(NOTICE, '');
  return literalStep(text, around) ?? lookFirst(text, around) ?? followUpStep(text, around) ?? rankedStep(text, around);
}

/** Who asked is told of the end of every job. */
const NOTICE =
  /,? (?:and )?(?:tell|let|notify|ping) (?:me|us)(?: know)? (?:when|once) (?:it'?s|it is|that is) (?:done|finished|live|up|ready)\b/i;
const SEARCH =
  /^(?:please |can you )?(?:search|look in|what (?:do|does)) (?:the )?(?:docs|documentation|wiki|manual|knowledge base) (?:say about|for) (.+?)[?.!]*$/i;

function literalStep(text: string, around: Surroundings): Step | null {
  const literal = readLiteral(text, around.index, around.last);
  if (literal) return createToolStep(literal.tool, '', literal.args, around);
  const sought = SEARCH.exec(text)?.[1];
  return sought === undefined ? null : searchStep(sought, around);
}

/** A change that is ordered under a condition is not made: what it depends on is looked at. */
function lookFirst(text: string, around: Surroundings): Step | null {
  if (findConditionalChange(text, around) === null) return null;
  return findCondition(text, around) ?? heldStep('conditional');
}

/** Who asks is not asked back about a change. */
function followUpStep(text: string, around: Surroundings): Step | null {
  const followUp = readFollowUp(text, around);
  const step = followUp && createToolStep(followUp.tool, '', followUp.given, around);
  return step?.kind === 'ask' && !followUp?.tool.isHarmless && asks(text) ? null : step;
}

/**
 * How far the second tool must be behind for the first to be taken: for a change, and for a look that needs nothing more. Chosen with CONFIDENT on
 * the development and spoken sets; planner-bars.test.ts prints what comes of them.
 */
const LEADS = { change: 0.7, look: 0.9 } as const;

/** What the nearest tools make of a text: the first when it is clear, else the shortlist of them. */
function rankedStep(text: string, around: Surroundings): Step {
  const found = matchesFor(text, around);
  // What is, word for word, an order to look is none for the documentation: “explain finding 12 of shop”.
  const looks = found.filter(({ tool }) => tool.isHarmless);
  if (asksForKnowledge(text) && plainOrders(text, looks, around).length === 0) return searchStep(text, around);
  const isQuestion = asks(text);
  const all = candidates(found, isQuestion);
  const plain = isQuestion ? [] : plainOrders(text, all, around);
  const matches = [...plain, ...all.filter((match) => !plain.includes(match))];
  const [best] = matches;
  if (!best || best.score < CONFIDENT) return shortlisted(text, matches, isQuestion, around);
  const { tool, score } = best;
  const held = tool.isHarmless || !tool.installed ? null : readHold(text);
  if (held !== null) return heldStep(held);
  const step = createToolStep(tool, text, {}, around);
  const second = plain.length > 0 ? plain[1] : matches[1];
  const isLook = tool.isHarmless && step.kind !== 'ask';
  const leads = !second || second.score < score * (isLook ? LEADS.look : LEADS.change);
  return leads ? step : shortlisted(text, matches, isQuestion, around);
}

/** The tools for which an order begins like one of their hints and leaves no word unexplained: they are meant, whatever else lies near. */
function plainOrders(text: string, matches: readonly Match[], around: Surroundings): readonly Match[] {
  const [first = '', ...others] = wordsOf(text);
  const begins = [first, [first, ...others].find((word) => !isFiller(word)) ?? ''];
  const isExplained = (tool: IndexedTool): boolean =>
    findUnexplained(text, { tool, args: createReading(tool, text, around).args }, around, 'answer').length === 0;
  const isMeant = (tool: IndexedTool): boolean => begins.some((word) => tool.verbs.has(word)) && isExplained(tool);
  return matches.filter(({ tool, score }) => score >= CONFIDENT && tool.installed && isMeant(tool));
}

/** The tools that may be meant. A question is answered by looking. What is not installed counts when nothing that is lies nearly as near. */
function candidates(all: readonly Match[], isQuestion: boolean): readonly Match[] {
  const [nearest] = all;
  const installed = all.find(({ tool }) => tool.installed)?.score ?? 0;
  const isMissing = nearest !== undefined && nearest.score >= CONFIDENT && nearest.score * LEADS.look > installed;
  return all.filter(({ tool }) => (tool.installed ? tool.isHarmless || !isQuestion : isMissing));
}

/** Why nothing is done although a change was spoken of. */
const HELD = {
  forbidden: ['planner.left-alone', 'cancelled'],
  told: ['planner.only-told', 'small-talk'],
  conditional: ['planner.no-conditions', 'cannot'],
  later: ['planner.not-later', 'cannot'],
} as const;

function heldStep(hold: Hold): Step {
  const [sentence, kind] = HELD[hold];
  return sayStep(say(sentence), kind);
}

/** Up to three things that lie near, as buttons; a question may also be one for the documentation. Chatter is left alone. */
function shortlisted(text: string, matches: readonly Match[], isQuestion: boolean, around: Surroundings): Step {
  const near = matches
    .filter(({ tool, score }) => tool.installed && score >= NEAR)
    .map(({ tool }) => createReading(tool, text, around))
    .filter((reading) => isSayable(reading, around.index));
  const search = searchStep(text, around);
  if (near.length === 0 && isQuestion) return search;
  const words = wordsOf(text).filter((word) => !isFiller(word));
  const isOurs =
    mentionsIn(text, around).length > 0 || words.some((word) => hasSense(word) || around.index.words.has(word));
  if (near.length === 0 || !isOurs) return sayStep(sayUnclear(around.index), 'cannot');
  const readings = isQuestion && search.kind === 'call' ? [...near.slice(0, 2), search.call] : near;
  return askWhichIsMeant(readings, text, around.index);
}

/** Looks a question up in what is written down. */
function searchStep(text: string, { bound }: Pick<Surroundings, 'bound'>): Step {
  if (!bound.has('search_knowledge')) return sayStep(say('planner.no-search'), 'cannot');
  const args = { query: text.slice(0, QUERY_LENGTH), scope: 'all' };
  return { kind: 'call', call: { tool: 'search_knowledge', args } };
}
