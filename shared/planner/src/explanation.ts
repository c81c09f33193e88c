import { wordSet } from './text/tokens.ts';
import { planNextMessage } from './plan.ts';
import { type BaseMessage, AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { BoundTool, ModelRequestFacts, ToolCatalog } from '@signalbox/contracts/tool-catalog';
import { type OpenQuestion, type PlannedCall, type AnswerTag, PlannerMark } from './requests/marks.ts';

const Plain = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** The conversation up to a message; the planner then explains how it would handle that message. */
export const PriorContext = z.object({
  /** Messages of the person and of Signalbox, oldest first. */
  messages: z.array(z.object({ from: z.enum(['person', 'signalbox']), text: z.string().min(1) })).default([]),
  /** Project that the conversation is about. */
  project: z.string().min(1).optional(),
  /** The open question, with the arguments known when it was asked. */
  question: z
    .object({
      tool: z.string().min(1),
      argument: z.string().min(1),
      arguments: Plain.default({}),
      choices: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  /** The last tool that ran, with its result. */
  lastTool: z
    .object({ tool: z.string().min(1), arguments: Plain.default({}), result: z.unknown().optional() })
    .optional(),
  /** Known names by entity, such as `project` → ['shop']. */
  names: z.record(z.string(), z.array(z.string().min(1))).default({}),
});
export type PriorContext = z.infer<typeof PriorContext>;

/** How the planner would react to one message if every tool succeeded. */
export interface DryRun {
  /** Tool calls in order, without tools that only talk, load groups or finish the task. */
  readonly calls: readonly { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  /** The question that is open after the message. */
  readonly question: (OpenQuestion & { readonly message: string }) | null;
  /** Changes that the planner offers as buttons below a question or an answer. */
  readonly offered: readonly (PlannedCall & { readonly label: string })[];
  /** Texts that the buttons below the last answer or question send. */
  readonly buttons: readonly string[];
  /** Kind of the last answer; `finished` when the conversation ends. Null while a question is open. */
  readonly says: AnswerTag | { readonly kind: 'finished' } | null;
  /** All texts that the person would see, in order. */
  readonly texts: readonly string[];
  /** The history, including all messages added by the rehearsal. */
  readonly messages: readonly BaseMessage[];
}

/** Plans the answers to a message that follows a story, without running tools. No text of a person makes it throw. */
export function explainMessage(catalog: ToolCatalog, text: string, story: PriorContext): DryRun {
  const history = [...historyOf(story, catalog), heard('asked', text)];
  return rehearse(history, catalog, factsOf(story, catalog));
}

/** Returns the facts that the planner would have at the end of the story. */
function factsOf({ project, names }: PriorContext, catalog: ToolCatalog): ModelRequestFacts {
  const activeGroups = catalog.groups.filter(({ installed }) => installed).map(({ name }) => name);
  return { activeGroups, known: names, currentProject: project ?? null };
}

/** Builds the planner's history from a story. Questions and tool runs are copied; messages of the person are planned again. */
function historyOf(story: PriorContext, catalog: ToolCatalog): readonly BaseMessage[] {
  const { messages, question, lastTool } = story;
  if (!question && !lastTool) return played(story, catalog);
  const lastAnswer = messages.findLastIndex(({ from }) => from === 'signalbox');
  // The open question is the newest answer, so the tool ran before it.
  const ran =
    question && lastTool ? messages.slice(0, lastAnswer).findLastIndex(({ from }) => from === 'signalbox') : lastAnswer;
  let asker = 'h0';
  const history = messages.flatMap(({ from, text }, at): BaseMessage[] => {
    if (from === 'person') {
      asker = `h${at + 1}`;
      return [heard(asker, text)];
    }
    const result = lastTool && at === ran ? callOf(asker, lastTool, text) : [];
    if (question && at === lastAnswer) return [...result, asked(asker, question, text)];
    return [...result, said({ for: asker, done: true }, text)];
  });
  const unseen = lastTool && ran === -1 ? callOf('h0', lastTool, '') : [];
  const unheard = question && lastAnswer === -1 ? [asked('h0', question, '')] : [];
  return [...unseen, ...history, ...unheard];
}

function played(story: PriorContext, catalog: ToolCatalog): readonly BaseMessage[] {
  const facts = factsOf(story, catalog);
  let history: readonly BaseMessage[] = [];
  for (const [at, { from, text }] of story.messages.entries()) {
    if (from !== 'person') continue;
    const next = story.messages[at + 1];
    const result = next?.from === 'signalbox' ? next.text : undefined;
    history = rehearse([...history, heard(`h${at + 1}`, text)], catalog, facts, result).messages;
  }
  return history;
}

function said(mark: PlannerMark, text: string): AIMessage {
  return new AIMessage({ content: text, additional_kwargs: { planner: mark } });
}

function asked(asker: string, question: NonNullable<PriorContext['question']>, text: string): AIMessage {
  const { tool, argument: slot, arguments: args } = question;
  const choices = (question.choices ?? []).map((value) => ({ label: value, value }));
  const ask = { tool, args, slot, choices, question: text, text: '', tries: 0 };
  return said({ for: asker, done: true, ask }, text);
}

function callOf(asker: string, { tool, arguments: args, result }: NonNullable<PriorContext['lastTool']>, say: string) {
  const tool_calls = [{ id: 'ran', name: tool, args, type: 'tool_call' as const }];
  const mark = { planner: { for: asker, done: false } };
  return [new AIMessage({ content: '', tool_calls, additional_kwargs: mark }), resultOf('ran', say, result)];
}

function resultOf(tool_call_id: string, say: string, result: unknown = null): ToolMessage {
  const additional_kwargs = say === '' ? {} : { say };
  return new ToolMessage({ tool_call_id, content: JSON.stringify({ ok: true, result }), additional_kwargs });
}

/** Upper limit of planning steps; the planner stops long before. */
const MAX_PASSES = 80;
const QUIET = wordSet('respond_to_user request_capabilities finish_task');

/** Plans until the last message is answered. No tool runs: each call succeeds with `result`. */
function rehearse(
  past: readonly BaseMessage[],
  catalog: ToolCatalog,
  facts: ModelRequestFacts,
  result = 'Done',
): DryRun {
  const system = new SystemMessage({ content: '', additional_kwargs: { facts } });
  const tools = boundTools(catalog);
  const messages = [...past];
  const calls: DryRun['calls'][number][] = [];
  const texts: string[] = [];
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const { id, content, toolCalls, kwargs } = planNextMessage({ messages: [system, ...messages], tools, catalog });
    const mark = PlannerMark.safeParse(kwargs['planner']).data;
    const tool_calls = toolCalls.map((call) => ({ ...call, type: 'tool_call' as const }));
    messages.push(new AIMessage({ id, content, tool_calls, additional_kwargs: kwargs }));
    const [call] = toolCalls;
    const message = call?.name === 'respond_to_user' ? String(call.args['message']) : null;
    if (!call || message !== null) texts.push(message ?? content);
    if (call && !QUIET.has(call.name)) calls.push({ tool: call.name, arguments: call.args });
    if (call) messages.push(resultOf(call.id, message ?? result));
    const end = {
      calls,
      offered: offersOf(mark),
      buttons: mark?.ask?.choices.map(({ value }) => value) ?? [],
      texts,
      messages,
    };
    if (call?.name === 'finish_task') return { ...end, question: null, says: { kind: 'finished' } };
    if (mark?.ask && !mark.says) return { ...end, question: { ...mark.ask, message: message ?? content }, says: null };
    if (!call || call.args['awaiting_response'] === true) return { ...end, question: null, says: mark?.says ?? null };
  }
  throw new Error('the planner does not come to an end; this is a bug of the planner.');
}

function offersOf(mark: PlannerMark | undefined): DryRun['offered'] {
  const { readings = [], choices = [] } = mark?.ask ?? {};
  return readings.map((call, place) => ({ ...call, label: choices[place]?.label ?? call.tool }));
}

function heard(id: string, text: string): HumanMessage {
  return new HumanMessage({ id, content: text });
}

const bound = new WeakMap<ToolCatalog, readonly BoundTool[]>();

/** Returns all installed tools, as if every group were loaded, because loading a group does not change the answer. */
function boundTools(catalog: ToolCatalog): readonly BoundTool[] {
  const installed = catalog.groups.filter((group) => group.installed).flatMap((group) => group.tools);
  const tools = bound.get(catalog) ?? [
    ...['search_knowledge', ...QUIET].map((name) => ({ name, description: '', schema: {} })),
    ...installed.map(({ name, describe: description, schema }) => ({ name, description, schema })),
  ];
  bound.set(catalog, tools);
  return tools;
}
