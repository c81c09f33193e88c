import { TALKING_TOOLS } from '../rank/tool-index.ts';
import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { ModelRequestFacts } from '@signalbox/contracts/tool-catalog';
import { Choice, type OpenQuestion, PlannerMark } from './marks.ts';
import { type ToolResult, readResult } from './tool-result.ts';

/** A message of a person, or the event of a finished job. */
export interface PersonMessage {
  readonly id: string;
  readonly index: number;
  readonly text: string;
  /** Index of this request in its message; `parts` holds all requests of the message. */
  readonly part: number;
  readonly parts: readonly string[];
  /** The sentence of an event such as job-finished; null for a person's message. */
  readonly event: string | null;
  /** True for an event of which the runtime has told the person. */
  readonly isTold: boolean;
}

/** A message that the planner wrote. */
export interface PlannerReply {
  readonly mark: PlannerMark;
  readonly index: number;
  readonly call: { readonly id: string; readonly name: string; readonly args: Record<string, unknown> } | null;
}

/** A tool run that succeeded. */
export interface ToolRun {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

export interface History {
  readonly facts: ModelRequestFacts;
  readonly said: readonly PersonMessage[];
  readonly marked: readonly PlannerReply[];
  /** Tool results by call id. */
  readonly results: ReadonlyMap<string, ToolResult>;
  /** Messages of people that are not handled yet, oldest first. */
  readonly pending: readonly PersonMessage[];
  /** Index of the last message by another model or a system note; -1 without one. All earlier messages count as handled. */
  readonly foreignAnswer: number;
  /** Number of messages in the conversation. */
  readonly size: number;
}

const Facts = z
  .object({
    activeGroups: z.array(z.string()).catch([]),
    known: z.record(z.string(), z.array(z.string()).catch([])).catch({}),
    currentProject: z.string().nullable().catch(null),
  })
  .catch({ activeGroups: [], known: {}, currentProject: null });
const Event = z.object({ kind: z.string(), say: z.string(), told: z.boolean().optional() });

/** Reads a conversation; `split` divides a new message into requests. Skips malformed messages and never throws. */
export function readHistory(
  messages: readonly BaseMessage[],
  split: (text: string, facts: ModelRequestFacts, asking: OpenQuestion | null) => readonly string[],
): History {
  const said: PersonMessage[] = [];
  const marked: PlannerReply[] = [];
  const results = new Map<string, ToolResult>();
  let facts: ModelRequestFacts = Facts.parse({});
  let foreignAnswer = -1;
  messages.forEach((message, index) => {
    const kwargs: Record<string, unknown> = message.additional_kwargs ?? {};
    switch (message.type) {
      case 'system':
        if (Object.hasOwn(kwargs, 'facts')) facts = Facts.parse(kwargs['facts'] ?? {});
        break;
      case 'human':
        said.push(readSpokenText(message, index));
        break;
      case 'tool': {
        const result = message as ToolMessage; // The message type was checked before
        results.set(result.tool_call_id, readResult(textOf(message), kwargs));
        break;
      }
      case 'ai': {
        const mark = PlannerMark.safeParse(kwargs['planner']);
        const [call] = (message as AIMessage).tool_calls ?? []; // The message type was checked before
        const made = call ? { id: call.id ?? '', name: call.name, args: call.args } : null;
        if (mark.success) marked.push({ mark: mark.data, index, call: made });
        else if (!call) foreignAnswer = index;
        break;
      }
    }
  });
  // A refused finish_task did not end the task, so the thanks still need an answer.
  const isDone = ({ mark, call }: PlannerReply): boolean =>
    mark.done && !(call?.name === 'finish_task' && results.get(call.id)?.ok === false);
  const done = new Set(marked.filter(isDone).map(({ mark }) => keyOf(mark.for, mark.part)));
  const absorbed = new Set(marked.flatMap(({ mark }) => mark.with ?? []));
  const before = { said, marked, foreignAnswer };
  const pending = said
    .filter(({ id }, at) => said.findIndex((other) => other.id === id) === at)
    .filter(({ id, index, isTold }) => index > foreignAnswer && !absorbed.has(id) && !isTold)
    .flatMap((one) => partsOf(one, marked, (text) => split(text, facts, findOpenQuestion(before, one)?.ask ?? null)))
    .filter(({ id, part }) => !done.has(keyOf(id, part)));
  return { facts, said, marked, results, pending, foreignAnswer, size: messages.length };
}

/** Finds the last successful tool run before a message, including runs for an earlier request of the same message. */
export function findLastRunBefore(
  { marked, results }: Pick<History, 'marked' | 'results'>,
  said: PersonMessage,
): ToolRun | null {
  const isWork = ({ call }: PlannerReply): boolean => call !== null && !TALKING_TOOLS.has(call.name);
  // A later request of a message follows the calls for earlier requests, even for failed ones.
  const since = said.part > 0 && marked.some((one) => one.index > said.index && isWork(one));
  const last = marked.findLast(
    (one) =>
      (since ? one.index > said.index : one.index < said.index) &&
      isWork(one) &&
      one.call?.name !== 'search_knowledge' &&
      results.get(one.call?.id ?? '')?.ok,
  );
  if (!last?.call) return null;
  const { id, name: tool, args } = last.call;
  return { tool, args, result: results.get(id)?.result ?? null };
}

function readSpokenText(message: BaseMessage, index: number): PersonMessage {
  // Removes the lines that name attached files, because only what the person wrote counts.
  const text = textOf(message).replace(/\n\[attached: [^\n]*\]$/gm, '');
  const { say: event = null, told = false } = Event.safeParse(message.additional_kwargs?.['event']).data ?? {};
  return { id: message.id ?? `at-${index}`, index, text, part: 0, parts: [text], event, isTold: told };
}

/** Returns the requests of a message, as the message was split when it was first read. */
function partsOf(
  said: PersonMessage,
  marked: readonly PlannerReply[],
  split: (text: string) => readonly string[],
): readonly PersonMessage[] {
  if (said.event !== null) return [said];
  const marks = marked.filter(({ mark, call }) => mark.for === said.id && call?.name !== 'classify_intent');
  const known = marks.find(({ mark }) => mark.parts)?.mark.parts;
  const parts = known ?? (marks.length > 0 ? [said.text] : split(said.text));
  return parts.map((text, part) => ({ ...said, text, part, parts }));
}

function keyOf(id: string, part: number | undefined): string {
  return `${part ?? 0} ${id}`;
}

/** Lists the messages that the planner wrote for one request, oldest first. */
export function listRepliesTo(history: History, said: PersonMessage): readonly PlannerReply[] {
  return history.marked.filter(
    ({ mark, call }) => keyOf(mark.for, mark.part) === keyOf(said.id, said.part) && call?.name !== 'classify_intent',
  );
}

/**
 * Finds the newest question before a message, and the message that caused the question. A later message or answer closes a question; a
 * job report does not.
 */
export function findOpenQuestion(
  { said: all, marked, foreignAnswer }: Pick<History, 'said' | 'marked' | 'foreignAnswer'>,
  said: PersonMessage,
): { readonly ask: OpenQuestion; readonly by: string } | null {
  const asked = marked.findLast(({ mark, index }) => mark.ask && index < said.index);
  if (!asked?.mark.ask || foreignAnswer > asked.index) return null;
  const isBetween = ({ index }: { readonly index: number }): boolean => index > asked.index && index < said.index;
  const events = new Set(all.filter(({ event }) => event !== null).map(({ id }) => id));
  const isClosed =
    all.some((one) => one.event === null && isBetween(one)) ||
    marked.some((one) => one.mark.done && isBetween(one) && !events.has(one.mark.for));
  // The runtime may have added choices to those of the planner.
  const choices = Choice.array().safeParse(asked.call?.args['choices']).data ?? asked.mark.ask.choices;
  return isClosed ? null : { ask: { ...asked.mark.ask, choices }, by: asked.mark.for };
}

function textOf(message: BaseMessage): string {
  if (typeof message.content === 'string') return message.content;
  return Array.isArray(message.content) ? message.text : '';
}
