import { say } from '@signalbox/messages/say';
import { createHash } from 'node:crypto';
import type { History, PersonMessage } from '../requests/history.ts';
import { decodeValues, showValues } from '../text/exact-values.ts';
import { HANDOFF_TOOL, type PlannedCall, type PlannerMark, type PlannerStep, toAnswerStep } from '../requests/marks.ts';

/** The message that the planner writes next. */
export interface PlannedMessage {
  /** Message id, always the same for the same history, so that a turn that runs again after a crash repeats no effect. */
  readonly id: string;
  readonly content: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: Record<string, unknown> }[];
  /** `additional_kwargs` of the message; its field `planner` holds the planner's mark. */
  readonly kwargs: Record<string, unknown>;
}

/** The step that the planner chose, and the messages that the step handles. */
export interface ChosenStep {
  readonly said: PersonMessage;
  readonly step: PlannerStep;
  /** Further messages that the step used as answers. */
  readonly absorbed: readonly PersonMessage[];
  /** Id of the message whose question the person canceled; its other requests are dropped too. */
  readonly dropped: string | null;
}

/** Writes a step with the values that people gave as they wrote them. */
export function toStepMessage(chosen: ChosenStep, history: History, bound: ReadonlySet<string>): PlannedMessage {
  const { content, toolCalls, ...message } = writeStep(chosen, history, bound);
  const calls = toolCalls.map(({ args, ...call }) => ({ ...call, args: toExactArgs(call.name, args) }));
  return { ...message, content: showValues(content), toolCalls: calls };
}

/** What people read is one line; a call gets the value itself. */
function toExactArgs(name: string, args: Record<string, unknown>): Record<string, unknown> {
  const { message } = args;
  const shown = name === 'respond_to_user' && typeof message === 'string' ? { message: showValues(message) } : {};
  return decodeValues({ ...args, ...shown });
}

/**
 * Writes a step as text or tool calls. The reply to the last message is plain text and ends the turn; earlier replies use
 * respond_to_user.
 */
function writeStep(
  { said, step, absorbed, dropped }: ChosenStep,
  history: History,
  bound: ReadonlySet<string>,
): PlannedMessage {
  const others = history.pending.some((other) => other !== said && !absorbed.includes(other) && other.id !== dropped);
  const used = [...absorbed.map(({ id }) => id), ...(dropped === null ? [] : [dropped])];
  const base = {
    for: said.id,
    ...(said.parts.length > 1 ? { part: said.part, parts: said.parts } : {}),
    ...(used.length > 0 ? { with: used } : {}),
  };
  const canRespond = bound.has('respond_to_user');
  switch (step.kind) {
    case 'call':
      return toCallMessage(history, { ...base, done: false }, step.call.tool, step.call.args);
    case 'load': {
      const args = { capabilities: [step.group], reason: step.reason };
      return toCallMessage(history, { ...base, done: false, then: step.then }, 'request_capabilities', args);
    }
    case 'ask': {
      const mark = { ...base, done: true, ask: step.ask };
      if (!canRespond) return writeContent(history, mark, step.text);
      const { choices: shown, tool, slot: argument, args } = step.ask;
      const more = shown.length > 0 ? { choices: shown } : tool && { asks: { tool, argument, arguments: args } };
      return toCallMessage(history, mark, 'respond_to_user', { message: step.text, awaiting_response: true, ...more });
    }
    case 'handoff':
      return toCallMessage(history, { ...base, done: true }, HANDOFF_TOOL, { agent: step.agent });
    case 'finish':
      // finish_task would end the conversation while other messages are waiting.
      if (others || !bound.has('finish_task')) {
        const welcome = toAnswerStep(say('planner.welcome'), 'small-talk');
        return writeStep({ said, step: welcome, absorbed, dropped }, history, bound);
      }
      return toCallMessage(history, { ...base, done: true }, 'finish_task', { summary: step.summary });
    case 'say': {
      const text = step.text.trim() === '' ? say('planner.done') : step.text;
      if (step.offer && !others && canRespond) {
        const { choices, question } = step.offer;
        const message = question === '' ? text : `${text}\n\n${question}`;
        const mark = { ...base, done: true, says: step.says, ask: step.offer };
        return toCallMessage(history, mark, 'respond_to_user', { message, awaiting_response: true, choices });
      }
      const mark = { ...base, done: true, says: step.says };
      if (!others || !canRespond) return writeContent(history, mark, text);
      return toCallMessage(history, mark, 'respond_to_user', { message: text, awaiting_response: false });
    }
  }
}

/** Writes a message with one tool call. */
export function toCallMessage(
  history: History,
  mark: PlannerMark,
  name: string,
  args: PlannedCall['args'],
): PlannedMessage {
  const key = keyOf(history, mark, name);
  return { id: `plan_${key}`, content: '', toolCalls: [{ id: `call_${key}`, name, args }], kwargs: { planner: mark } };
}

function writeContent(history: History, mark: PlannerMark, content: string): PlannedMessage {
  return { id: `plan_${keyOf(history, mark, 'content')}`, content, toolCalls: [], kwargs: { planner: mark } };
}

/** Derives the message id from the handled message and the position in the history. */
function keyOf(history: History, mark: PlannerMark, what: string): string {
  const step = history.marked.filter((other) => other.mark.for === mark.for).length;
  return createHash('sha256').update(`${mark.for}\n${step}\n${history.size}\n${what}`).digest('hex').slice(0, 24);
}
