import { createHash } from 'node:crypto';
import type { BaseMessage } from '@langchain/core/messages';
import type { BoundTool } from '../bound-tool.ts';
import { answerAsk } from './answers.ts';
import { indexCapabilities } from './capability-index.ts';
import type { PlannerCatalog } from './catalog.ts';
import { classify } from './classification.ts';
import { closeTask } from './closing.ts';
import { openAskBefore, readHistory, stepsFor, type History, type Said } from './history.ts';
import type { PlannerMark } from './marks.ts';
import { introduce, stepForRequest, type Surroundings } from './requests.ts';
import { stepAfter } from './results.ts';
import { readSmallTalk } from './small-talk.ts';
import { sayStep, type Step } from './step.ts';
import { cleanText } from './tokens.ts';
import { WORDS } from './words.ts';

/** What the model says next. */
export interface PlannedMessage {
  readonly content: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: Record<string, unknown> }[];
  /** `additional_kwargs` of the message; `planner` is its mark. */
  readonly kwargs: Record<string, unknown>;
}

/** Tools that every turn has; nobody asks for them by hint. */
const BASE_TOOLS: ReadonlySet<string> = new Set([
  'respond_to_user',
  'search_knowledge',
  'request_capabilities',
  'finish_task',
  'classify_intent',
]);
/** Load, call and answer take three; twice that is a loop. */
const MOST_STEPS = 6;

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
  const history = readHistory(input.messages);
  const index = indexCapabilities(input.catalog, input.tools, BASE_TOOLS);
  const around: Surroundings = { facts: history.facts, index, bound: new Set(input.tools.map(({ name }) => name)) };
  const [onlyTool] = input.tools;
  if (onlyTool?.name === 'classify_intent' && input.tools.length === 1) {
    const last = history.said.at(-1);
    const args = classify(history.pending.length > 0 ? history.pending : history.said.slice(-1), around);
    return callMessage(history, { for: last?.id ?? '', done: false }, 'classify_intent', args);
  }
  const chosen = choose(history, around);
  if (!chosen) return { content: WORDS.idle, toolCalls: [], kwargs: {} };
  return write(chosen, history, around);
}

interface Chosen {
  readonly said: Said;
  readonly step: Step;
  /** Messages that the step used up besides. */
  readonly absorbed: readonly Said[];
}

/** The first message whose next step is no question; when all need one, the first question. */
function choose(history: History, around: Surroundings): Chosen | null {
  let question: Chosen | null = null;
  for (const [at, said] of history.pending.entries()) {
    const step = stepFor(said, history, around);
    if (step.kind !== 'ask') return { said, step, absorbed: [] };
    const next = history.pending[at + 1];
    // People send one thought in several messages: "allocate a port", "for shop". The next message may be the answer already.
    if (next && next.event === null) {
      const answer = answerAsk(step.ask, cleanText(next.text), around);
      if (answer?.answered) {
        const merged: Chosen = { said, step: answer.step, absorbed: [next] };
        if (answer.step.kind !== 'ask') return merged;
        question ??= merged;
      }
    }
    question ??= { said, step, absorbed: [] };
  }
  return question;
}

function stepFor(said: Said, history: History, around: Surroundings): Step {
  if (said.event !== null) return sayStep(said.event);
  const steps = stepsFor(history, said);
  if (steps.length >= MOST_STEPS) return sayStep(WORDS.tooManySteps);
  const ask = openAskBefore(history, said);
  const last = steps.at(-1);
  if (last) return stepAfter(last, history, around, (ask?.tries ?? 0) > 0);
  const text = cleanText(said.text);
  const answer = ask ? answerAsk(ask, text, around) : null;
  return answer?.step ?? stepForText(text, said, history, around);
}

function stepForText(text: string, said: Said, history: History, around: Surroundings): Step {
  if (text === '') return sayStep(WORDS.empty);
  switch (readSmallTalk(text)) {
    case 'thanks':
      return closeTask(history, said);
    case 'agreed':
      return sayStep(WORDS.ready);
    case 'greeting':
      return introduce(true, around);
    case 'help':
      return introduce(false, around);
    case 'cancel':
      return sayStep(openAskBefore(history, said) ? WORDS.dropped : WORDS.nothingToCancel);
    case 'hands-off':
      return sayStep(WORDS.leftAlone);
    case null:
      return stepForRequest(text, around);
  }
}

function write({ said, step, absorbed }: Chosen, history: History, { bound }: Surroundings): PlannedMessage {
  const others = history.pending.some((other) => other.id !== said.id && !absorbed.includes(other));
  const base = { for: said.id, ...(absorbed.length > 0 ? { with: absorbed.map(({ id }) => id) } : {}) };
  const canRespond = bound.has('respond_to_user');
  switch (step.kind) {
    case 'call':
      return callMessage(history, { ...base, done: false }, step.call.tool, step.call.args);
    case 'load': {
      const args = { capabilities: [step.group], reason: step.reason };
      return callMessage(history, { ...base, done: false, then: step.then }, 'request_capabilities', args);
    }
    case 'ask': {
      const mark: PlannerMark = { ...base, done: true, ask: step.ask };
      if (!canRespond) return { content: step.text, toolCalls: [], kwargs: { planner: mark } };
      const choices = step.ask.choices.length > 0 ? { choices: step.ask.choices } : {};
      return callMessage(history, mark, 'respond_to_user', { message: step.text, awaiting_response: true, ...choices });
    }
    case 'finish':
      // Finishing ends the thread, and with it what still waits.
      if (!others && bound.has('finish_task'))
        return callMessage(history, { ...base, done: true }, 'finish_task', { summary: step.summary }, step.text);
      return write({ said, step: sayStep(step.text), absorbed }, history, { bound } as Surroundings);
    case 'say': {
      const mark: PlannerMark = { ...base, done: true };
      if (!others || !canRespond) return { content: step.text, toolCalls: [], kwargs: { planner: mark } };
      return callMessage(history, mark, 'respond_to_user', { message: step.text, awaiting_response: false });
    }
  }
}

function callMessage(
  history: History,
  mark: PlannerMark,
  name: string,
  args: Record<string, unknown>,
  content = '',
): PlannedMessage {
  // The same history gives the same id, so that a turn that is run again after a crash repeats no effect.
  const place = `${mark.for}\n${history.marked.filter((step) => step.mark.for === mark.for).length}\n${history.size}\n${name}`;
  const id = `call_${createHash('sha256').update(place).digest('hex').slice(0, 24)}`;
  return { content, toolCalls: [{ id, name, args }], kwargs: { planner: mark } };
}
