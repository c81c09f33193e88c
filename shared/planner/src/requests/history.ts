import { wordSet } from '../text/tokens.ts';
import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import { Choice, type OpenAsk, PlannerMark } from './marks.ts';
import { type ToolResult, readResult } from './tool-result.ts';

/** Something a person (or a finished job) said. */
export interface Said {
  readonly id: string;
  readonly index: number;
  readonly text: string;
  /** Which request of the message, from 0; `parts` are all of them. Most messages have one. */
  readonly part: number;
  readonly parts: readonly string[];
  /** The sentence of an event such as job-finished; null for what a person wrote. */
  readonly event: string | null;
}

/** A message of the planner's own. */
export interface Marked {
  readonly mark: PlannerMark;
  readonly index: number;
  readonly call: { readonly id: string; readonly name: string; readonly args: Record<string, unknown> } | null;
}

/** A tool that did its work. */
export interface Run {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

export interface History {
  readonly facts: RequestFacts;
  readonly said: readonly Said[];
  readonly marked: readonly Marked[];
  /** Results of tool calls, by call id. */
  readonly results: ReadonlyMap<string, ToolResult>;
  /** What is not dealt with yet, oldest first. */
  readonly pending: readonly Said[];
  /** Where another model, or a note about the turn, spoke last; -1 when never. It deals with everything before. */
  readonly foreignAnswer: number;
  /** How many messages there are. */
  readonly size: number;
}

const Facts = z
  .object({
    activeGroups: z.array(z.string()).catch([]),
    known: z.record(z.string(), z.array(z.string()).catch([])).catch({}),
    currentProject: z.string().nullable().catch(null),
  })
  .catch({ activeGroups: [], known: {}, currentProject: null });
const Event = z.object({ kind: z.string(), say: z.string() });

/** Reads a conversation; `split` parts a new message into its requests. Whatever is missing or malformed is left out; never throws. */
export function readHistory(
  messages: readonly BaseMessage[],
  split: (text: string, facts: RequestFacts, asking: OpenAsk | null) => readonly string[],
): History {
  const said: Said[] = [];
  const marked: Marked[] = [];
  const results = new Map<string, ToolResult>();
  let facts: RequestFacts = Facts.parse({});
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
        const result = message as ToolMessage; // its type says so
        results.set(result.tool_call_id, readResult(textOf(message), kwargs));
        break;
      }
      case 'ai': {
        const mark = PlannerMark.safeParse(kwargs['planner']);
        const [call] = (message as AIMessage).tool_calls ?? []; // its type says so
        const made = call ? { id: call.id ?? '', name: call.name, args: call.args } : null;
        if (mark.success) marked.push({ mark: mark.data, index, call: made });
        else if (!call) foreignAnswer = index;
        break;
      }
    }
  });
  // Ending the task is not done while it is refused: then the thanks still need an answer.
  const isDone = ({ mark, call }: Marked): boolean =>
    mark.done && !(call?.name === 'finish_task' && results.get(call.id)?.ok === false);
  const done = new Set(marked.filter(isDone).map(({ mark }) => keyOf(mark.for, mark.part)));
  const absorbed = new Set(marked.flatMap(({ mark }) => mark.with ?? []));
  const before = { said, marked, foreignAnswer };
  const pending = said
    .filter(({ id }, at) => said.findIndex((other) => other.id === id) === at)
    .filter(({ id, index }) => index > foreignAnswer && !absorbed.has(id))
    .flatMap((one) => partsOf(one, marked, (text) => split(text, facts, openQuestionBefore(before, one)?.ask ?? null)))
    .filter(({ id, part }) => !done.has(keyOf(id, part)));
  return { facts, said, marked, results, pending, foreignAnswer, size: messages.length };
}

/** Tools that talk, load or end are no work. */
export const TALKING_TOOLS = wordSet('respond_to_user request_capabilities finish_task classify_intent');

/** The last tool that worked before something was said, or for an earlier request of the same message. */
export function findLastRunBefore({ marked, results }: Pick<History, 'marked' | 'results'>, said: Said): Run | null {
  const isWork = ({ call }: Marked): boolean => call !== null && !TALKING_TOOLS.has(call.name);
  // A later request of a message goes on from what was done for the earlier ones, if only to fail.
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

function readSpokenText(message: BaseMessage, index: number): Said {
  // The lines that name attached files are for models that know what a file is: here only the words count.
  const text = textOf(message).replace(/\n\[attached: [^\n]*\]$/gm, '');
  const event = Event.safeParse(message.additional_kwargs?.['event']).data?.say ?? null;
  return { id: message.id ?? `at-${index}`, index, text, part: 0, parts: [text], event };
}

/** The requests of a message: as they were parted when it was first read, so that what changed since parts it no other way. */
function partsOf(said: Said, marked: readonly Marked[], split: (text: string) => readonly string[]): readonly Said[] {
  if (said.event !== null) return [said];
  const marks = marked.filter(({ mark, call }) => mark.for === said.id && call?.name !== 'classify_intent');
  const known = marks.find(({ mark }) => mark.parts)?.mark.parts;
  const parts = known ?? (marks.length > 0 ? [said.text] : split(said.text));
  return parts.map((text, part) => ({ ...said, text, part, parts }));
}

function keyOf(id: string, part: number | undefined): string {
  return `${part ?? 0} ${id}`;
}

/** The planner's messages for one request, oldest first. */
export function stepsFor(history: History, said: Said): readonly Marked[] {
  return history.marked.filter(
    ({ mark, call }) => keyOf(mark.for, mark.part) === keyOf(said.id, said.part) && call?.name !== 'classify_intent',
  );
}

/**
 * The question that this message may answer: the newest one before it, with the message that raised it, unless a person has spoken in between. A later answer of ours to a
 * person's message closes it; the report of a finished job does not.
 */
export function openQuestionBefore(
  { said: all, marked, foreignAnswer }: Pick<History, 'said' | 'marked' | 'foreignAnswer'>,
  said: Said,
): { readonly ask: OpenAsk; readonly by: string } | null {
  const asked = marked.findLast(({ mark, index }) => mark.ask && index < said.index);
  if (!asked?.mark.ask || foreignAnswer > asked.index) return null;
  const isBetween = ({ index }: { readonly index: number }): boolean => index > asked.index && index < said.index;
  const events = new Set(all.filter(({ event }) => event !== null).map(({ id }) => id));
  const isClosed =
    all.some((one) => one.event === null && isBetween(one)) ||
    marked.some((one) => one.mark.done && isBetween(one) && !events.has(one.mark.for));
  // The runtime may have added choices to those that we gave.
  const choices = Choice.array().safeParse(asked.call?.args['choices']).data ?? asked.mark.ask.choices;
  return isClosed ? null : { ask: { ...asked.mark.ask, choices }, by: asked.mark.for };
}

function textOf(message: BaseMessage): string {
  if (typeof message.content === 'string') return message.content;
  return Array.isArray(message.content) ? message.text : '';
}
