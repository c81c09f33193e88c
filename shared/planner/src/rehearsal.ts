import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { BoundTool } from '@signalbox/contracts/tool-catalog';
import type { ToolCatalog, RequestFacts } from '@signalbox/contracts/tool-catalog';
import { type OpenAsk, type PlannedCall, type Says, PlannerMark } from './conversation/marks.ts';
import { plan } from './plan.ts';
import { BASE_TOOLS } from './rank/tool-index.ts';

/** What the planner would do about one message if every tool worked. */
export interface Rehearsal {
  /** Calls of tools in order, without those that only talk, load or end. */
  readonly calls: readonly { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  /** The question that is open at the end. */
  readonly question: (OpenAsk & { readonly message: string }) | null;
  /** The changes that buttons offer, below a question or an answer. */
  readonly offered: readonly (PlannedCall & { readonly label: string })[];
  /** What kind of answer the last one is; `finished` when the conversation ends. Null while a question is open. */
  readonly says: Says | { readonly kind: 'finished' } | null;
  /** All that the person would read, in order. */
  readonly texts: readonly string[];
  /** The history with everything that was added. */
  readonly messages: readonly BaseMessage[];
}

/** More passes than the longest message can need; the planner itself stops long before. */
const MOST_PASSES = 80;
const QUIET: ReadonlySet<string> = new Set(['respond_to_user', 'request_capabilities', 'finish_task']);

/** Plays the answer to the history's last message. Nothing is done: each call succeeds and says `result`. */
export function rehearse(input: {
  readonly history: readonly BaseMessage[];
  readonly catalog: ToolCatalog;
  readonly facts: RequestFacts;
  readonly result?: string;
}): Rehearsal {
  const { catalog, facts, result = 'Done.' } = input;
  const system = new SystemMessage({ content: '', additional_kwargs: { facts } });
  const tools = boundTools(catalog);
  const messages = [...input.history];
  const calls: Rehearsal['calls'][number][] = [];
  const texts: string[] = [];
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const { id, content, toolCalls, kwargs } = plan({ messages: [system, ...messages], tools, catalog });
    const mark = PlannerMark.safeParse(kwargs['planner']).data;
    const tool_calls = toolCalls.map((call) => ({ ...call, type: 'tool_call' as const }));
    messages.push(new AIMessage({ id, content, tool_calls, additional_kwargs: kwargs }));
    const [call] = toolCalls;
    const message = call?.name === 'respond_to_user' ? String(call.args['message']) : null;
    if (!call || message !== null) texts.push(message ?? content);
    if (call && !QUIET.has(call.name)) calls.push({ tool: call.name, arguments: call.args });
    if (call) messages.push(answerOf(call.id, message ?? result));
    const end = { calls, offered: offersOf(mark), texts, messages };
    if (call?.name === 'finish_task') return { ...end, question: null, says: { kind: 'finished' } };
    if (mark?.ask && !mark.says) return { ...end, question: { ...mark.ask, message: message ?? content }, says: null };
    if (!call || call.args['awaiting_response'] === true) return { ...end, question: null, says: mark?.says ?? null };
  }
  throw new Error('the planner does not come to an end; this is a bug of the planner.');
}

function offersOf(mark: PlannerMark | undefined): Rehearsal['offered'] {
  const { readings = [], choices = [] } = mark?.ask ?? {};
  return readings.map((call, place) => ({ ...call, label: choices[place]?.label ?? call.tool }));
}

/** A message of a person. */
export function heard(id: string, text: string): HumanMessage {
  return new HumanMessage({ id, content: text });
}

function answerOf(callId: string, say: string): ToolMessage {
  return new ToolMessage({
    tool_call_id: callId,
    content: JSON.stringify({ ok: true, result: null }),
    additional_kwargs: { say },
  });
}

const bound = new WeakMap<ToolCatalog, readonly BoundTool[]>();

/** Everything that is installed counts as loaded: loading is part of the way, not of the answer. */
function boundTools(catalog: ToolCatalog): readonly BoundTool[] {
  const known = bound.get(catalog);
  if (known) return known;
  const tools = [
    ...[...BASE_TOOLS]
      .filter((name) => name !== 'classify_intent')
      .map((name) => ({ name, description: '', schema: {} })),
    ...catalog.groups
      .filter(({ installed }) => installed)
      .flatMap((group) => group.tools)
      .map(({ name, describe: description, schema }) => ({ name, description, schema })),
  ];
  bound.set(catalog, tools);
  return tools;
}
