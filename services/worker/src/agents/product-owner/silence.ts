import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { RuntimeEvent } from '@signalbox/contracts/governance/runtime-event';

/*
 * The runtime tells a person of each decision and each end of a job. A model is asked about such an event only when the task goes on:
 *
 *   the action or the job failed                       ─▶ ask the model
 *   a job has found or written something               ─▶ ask
 *   a question of the model is open                    ─▶ ask
 *   the action started a job that goes on              ─▶ silence: the end of the job is another event
 *   a call behind it was held                          ─▶ ask
 *   it was a look-up: the model has to report it       ─▶ ask
 *   the model said that it goes on (goes_on)           ─▶ ask
 *   otherwise                                          ─▶ silence: the event stays in the conversation
 */

/** True when the turn has only events and the runtime's own sentences tell all there is of them. `isRead`: of a tool. Pure. */
export function isToldByRuntime(
  messages: readonly BaseMessage[],
  start: number,
  isRead: (tool: string) => boolean,
): boolean {
  const events = listEvents(messages, start);
  if (events === null) return false;
  const before = messages.slice(0, start);
  if (hasOpenQuestion(before)) return false;
  return events.every((event) => isToldWhole(event) && (event.goesOn === true || !isAwaited(before, event, isRead)));
}

/** Lists the events of a turn; null when the turn has anything else, or no event. Pure. */
export function listEvents(messages: readonly BaseMessage[], start: number): readonly RuntimeEvent[] | null {
  const events = messages.slice(start).filter(HumanMessage.isInstance).map(getEvent);
  const known = events.filter((event) => event !== null);
  return known.length > 0 && known.length === events.length ? known : null;
}

/** Marks the events of a turn as told to the person, so that no later answer tells of them again. */
export function markTold(messages: readonly BaseMessage[], start: number): readonly BaseMessage[] {
  return messages.slice(start).flatMap((message) => {
    const event = getEvent(message);
    if (event === null || event.told) return [];
    const { id, content, additional_kwargs: extras } = message;
    const told = { ...extras, event: { ...event, told: true } };
    return [new HumanMessage({ ...(id === undefined ? {} : { id }), content, additional_kwargs: told })];
  });
}

/** True when events of this turn are marked as told, so that the person has to read them. Pure. */
export function areEventsTold(messages: readonly BaseMessage[], start: number): boolean {
  return messages.slice(start).some((message) => getEvent(message)?.told === true);
}

/** True while the newest answer is a question to which nobody has replied. Pure. */
export function hasOpenQuestion(messages: readonly BaseMessage[]): boolean {
  const asked = messages.findLastIndex(
    (message) =>
      AIMessage.isInstance(message) && (message.tool_calls ?? []).some(({ args }) => isOn(args, 'awaiting_response')),
  );
  const isReply = (message: BaseMessage): boolean =>
    AIMessage.isInstance(message) || (HumanMessage.isInstance(message) && getEvent(message) === null);
  return asked !== -1 && !messages.slice(asked + 1).some(isReply);
}

function getEvent(message: BaseMessage): RuntimeEvent | null {
  const event = message.additional_kwargs['event'] as RuntimeEvent | undefined; // only the runtime sets it: see turn/batch.ts
  return event?.kind === 'decision' || event?.kind === 'job-finished' ? event : null;
}

/** Jobs whose end is told as a whole. What others found or wrote is for the model to read. */
const TOLD_JOBS: ReadonlySet<string> = new Set([
  'deploy.run',
  'service.stop',
  'knowledge.index',
  'plan',
  'engineering.change',
]);

/** False after a failure, about whose cause and remedy there is more to say. Older events do not tell. */
function isToldWhole({ job, outcome }: RuntimeEvent): boolean {
  return outcome !== undefined && outcome !== 'failed' && (job === undefined || TOLD_JOBS.has(job));
}

function isAwaited(
  before: readonly BaseMessage[],
  { callId = '' }: RuntimeEvent,
  isRead: (tool: string) => boolean,
): boolean {
  const id = callId.replace(/_m$/, ''); // the id of an action that an approver changed: see governance/resume-decision.ts
  const proposed = before.findIndex(
    (message) => AIMessage.isInstance(message) && (message.tool_calls ?? []).some((call) => call.id === id),
  );
  if (proposed === -1) return false;
  const since = before.slice(proposed);
  const [answer] = since;
  const calls = AIMessage.isInstance(answer) ? (answer.tool_calls ?? []) : [];
  const name = calls.find((call) => call.id === id)?.name ?? '';
  if (isRead(name)) return true;
  const siblings = new Set(calls.map((call) => call.id));
  const isHeld = (message: BaseMessage): boolean =>
    ToolMessage.isInstance(message) && siblings.has(message.tool_call_id) && message.additional_kwargs['held'] === true;
  const goesOn = (message: BaseMessage): boolean =>
    AIMessage.isInstance(message) && (message.tool_calls ?? []).some(({ args }) => isOn(args, 'goes_on'));
  return since.some((message) => isHeld(message) || goesOn(message));
}

function isOn(args: Readonly<Record<string, unknown>>, name: string): boolean {
  return args[name] === true;
}
