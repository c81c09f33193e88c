import { say } from '@signalbox/messages/say';
import { createHash } from 'node:crypto';
import type { History, Said } from '../requests/history.ts';
import { type PlannedCall, type PlannerMark, type Step, sayStep } from '../requests/marks.ts';

/** What the model says next. */
export interface PlannedMessage {
  /** The same history gives the same ids, so that a turn that is run again after a crash repeats no effect. */
  readonly id: string;
  readonly content: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: Record<string, unknown> }[];
  /** `additional_kwargs` of the message; `planner` is its mark. */
  readonly kwargs: Record<string, unknown>;
}

/** A step that was chosen, and the messages that it deals with. */
export interface Chosen {
  readonly said: Said;
  readonly step: Step;
  /** Messages that the step used up besides. */
  readonly absorbed: readonly Said[];
  /** The message whose question the person gave up, and with it what it asked for besides. */
  readonly dropped: string | null;
}

/**
 * Puts a step into words or calls. The answer to the last message ends the turn, so it is plain content;
 * while others wait it goes out through respond_to_user. A question always does.
 */
export function writeStep(
  { said, step, absorbed, dropped }: Chosen,
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
      return writeCall(history, { ...base, done: false }, step.call.tool, step.call.args);
    case 'load': {
      const args = { capabilities: [step.group], reason: step.reason };
      return writeCall(history, { ...base, done: false, then: step.then }, 'request_capabilities', args);
    }
    case 'ask': {
      const mark = { ...base, done: true, ask: step.ask };
      if (!canRespond) return writeContent(history, mark, step.text);
      const { choices: shown, tool, slot: argument, args } = step.ask;
      const more = shown.length > 0 ? { choices: shown } : tool && { asks: { tool, argument, arguments: args } };
      return writeCall(history, mark, 'respond_to_user', { message: step.text, awaiting_response: true, ...more });
    }
    case 'finish':
      // Finishing ends the thread, and with it what still waits.
      if (others || !bound.has('finish_task')) {
        const welcome = sayStep(say('planner.welcome'), 'small-talk');
        return writeStep({ said, step: welcome, absorbed, dropped }, history, bound);
      }
      return writeCall(history, { ...base, done: true }, 'finish_task', { summary: step.summary });
    case 'say': {
      const text = step.text.trim() === '' ? say('planner.done') : step.text;
      if (step.offer && !others && canRespond) {
        const { choices, question } = step.offer;
        const message = `${text}\n\n${question}`;
        const mark = { ...base, done: true, says: step.says, ask: step.offer };
        return writeCall(history, mark, 'respond_to_user', { message, awaiting_response: true, choices });
      }
      const mark = { ...base, done: true, says: step.says };
      if (!others || !canRespond) return writeContent(history, mark, text);
      return writeCall(history, mark, 'respond_to_user', { message: text, awaiting_response: false });
    }
  }
}

/** A message that is one tool call. */
export function writeCall(
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

/** From the message that is dealt with and the place in the history. */
function keyOf(history: History, mark: PlannerMark, what: string): string {
  const step = history.marked.filter((other) => other.mark.for === mark.for).length;
  return createHash('sha256').update(`${mark.for}\n${step}\n${history.size}\n${what}`).digest('hex').slice(0, 24);
}
