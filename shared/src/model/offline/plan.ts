import type { BaseMessage } from '@langchain/core/messages';
import type { BoundTool } from '../bound-tool.ts';
import { answerAsk } from './answers.ts';
import { indexCapabilities } from './capability-index.ts';
import type { PlannerCatalog } from './catalog.ts';
import { classify } from './classification.ts';
import { splitRequests } from './clauses.ts';
import { closeTask } from './closing.ts';
import { openAskBefore, readHistory, stepsFor, type History, type Said } from './history.ts';
import { writeCall, writeStep, type Chosen, type PlannedMessage } from './planned-message.ts';
import { introduce, stepForRequest, type Surroundings } from './requests.ts';
import { stepAfter } from './results.ts';
import { readSmallTalk } from './small-talk.ts';
import { sayStep, type Step } from './step.ts';
import { cleanText } from './tokens.ts';
import { WORDS } from './words.ts';

/** Tools that every turn has; nobody asks for them by hint. */
export const BASE_TOOLS: ReadonlySet<string> = new Set([
  'respond_to_user',
  'search_knowledge',
  'request_capabilities',
  'finish_task',
  'classify_intent',
]);
/** Load, call and answer take three; twice that is a loop. */
const MOST_STEPS = 6;

/** For a conversation in which nobody waits for an answer. */
const IDLE: PlannedMessage = { id: 'plan_idle', content: WORDS.idle, toolCalls: [], kwargs: {} };

/**
 * The offline planner: from a conversation and the bound tools to the next message. Pure and deterministic.
 *
 * One message of a person is dealt with in these steps; where it stands is read from the marks of our own messages:
 *   new       → ask (ends it: the answer is a new message) · say (ends it) · load → loaded · call → called
 *   loaded    → call → called, or say that it may not be used
 *   called    → say the result, or ask for a better name once
 * Several messages are dealt with in order; one that needs a question waits until the others are answered, for a question ends the turn.
 */
export function plan(input: {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly BoundTool[];
  readonly catalog: PlannerCatalog;
}): PlannedMessage {
  const index = indexCapabilities(input.catalog, input.tools, BASE_TOOLS);
  const history = readHistory(input.messages, (text, facts) => splitRequests(cleanText(text), { facts, index }));
  const facts = { ...history.facts, currentProject: latestProject(history) ?? history.facts.currentProject };
  const around: Surroundings = { facts, index, bound: new Set(input.tools.map(({ name }) => name)) };
  const [onlyTool] = input.tools;
  if (onlyTool?.name === 'classify_intent' && input.tools.length === 1) {
    const last = history.said.at(-1);
    const args = classify(history.pending.length > 0 ? history.pending : history.said.slice(-1), around);
    return writeCall(history, { for: last?.id ?? '', done: false }, 'classify_intent', args);
  }
  const chosen = choose(history, around);
  return chosen ? writeStep(chosen, history, around.bound) : IDLE;
}

/** The first request whose next step is no question; when all need one, the first question. */
function choose(history: History, around: Surroundings): Chosen | null {
  let question: Chosen | null = null;
  const absorbed = new Set<Said>();
  // What was begun is brought to its end before the next is begun.
  const begun = history.pending.find((said) => stepsFor(history, said).length > 0);
  const inOrder = begun ? [begun, ...history.pending.filter((said) => said !== begun)] : history.pending;
  for (const said of inOrder) {
    if (absorbed.has(said)) continue;
    const at = history.pending.indexOf(said);
    const chosen = withAnswers({ said, step: stepFor(said, history, around), absorbed: [] }, at, history, around);
    if (chosen.step.kind !== 'ask') return chosen;
    question ??= chosen;
    chosen.absorbed.forEach((other) => absorbed.add(other));
  }
  return question;
}

/** People send one thought in several messages: "allocate a port", "for shop". The next ones may be the answers already. */
function withAnswers(first: Chosen, at: number, history: History, around: Surroundings): Chosen {
  let chosen = first;
  for (const next of history.pending.slice(at + 1)) {
    const { step, absorbed } = chosen;
    if (step.kind !== 'ask' || next.event !== null || next.parts.length > 1 || openAskBefore(history, next))
      return chosen;
    const answer = answerAsk(step.ask, cleanText(next.text), around);
    if (!answer?.answered) return chosen;
    chosen = { said: chosen.said, step: answer.step, absorbed: [...absorbed, next] };
  }
  return chosen;
}

function stepFor(said: Said, history: History, around: Surroundings): Step {
  if (said.event !== null) return sayStep(said.event, 'event');
  const steps = stepsFor(history, said);
  if (steps.length >= MOST_STEPS) return sayStep(WORDS.tooManySteps, 'failed');
  const ask = openAskBefore(history, said);
  const last = steps.at(-1);
  if (last) return stepAfter(last, history, around, (ask?.tries ?? 0) > 0);
  const text = cleanText(said.text);
  const answer = ask ? answerAsk(ask, text, around) : null;
  return answer?.step ?? stepForText(text, said, history, around);
}

function stepForText(text: string, said: Said, history: History, around: Surroundings): Step {
  if (text === '') return sayStep(WORDS.empty, 'small-talk');
  switch (readSmallTalk(text)) {
    case 'thanks':
      return closeTask(history, said);
    case 'agreed':
      return sayStep(WORDS.ready, 'small-talk');
    case 'greeting':
      return introduce(true, around);
    case 'help':
      return introduce(false, around);
    case 'cancel':
      return sayStep(openAskBefore(history, said) ? WORDS.dropped : WORDS.nothingToCancel, 'cancelled');
    case 'hands-off':
      return sayStep(WORDS.leftAlone, 'cancelled');
    case null:
      return stepForRequest(text, around);
  }
}

/** The project that the last tool which worked was about. */
function latestProject(history: History): string | null {
  const names = history.marked.flatMap(({ call }) => {
    if (!call || !history.results.get(call.id)?.ok) return [];
    const name = call.args['project'] ?? (call.name.includes('project') ? call.args['name'] : undefined);
    return typeof name === 'string' ? [name] : [];
  });
  return names.at(-1) ?? null;
}
