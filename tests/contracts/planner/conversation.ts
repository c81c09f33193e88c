import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { ToolCatalog, ModelRequestFacts } from '@signalbox/contracts/tool-catalog';
import { planNextMessage } from '@signalbox/planner/plan';
import type { PlannedMessage } from '@signalbox/planner/conversation/planned-message';

const BASE = ['respond_to_user', 'search_knowledge', 'request_capabilities', 'finish_task'];

export interface Outcome {
  readonly ok: boolean;
  readonly result?: unknown;
  readonly error?: string;
  readonly say?: string;
}

export interface Reply {
  readonly text: string;
  readonly choices?: readonly string[];
}

export interface Situation {
  readonly facts?: Partial<ModelRequestFacts>;
  /** Groups that are loaded from the start; all that are installed when left out. */
  readonly loaded?: readonly string[];
  /** What tools answer; they repeat their arguments when it is left out. */
  readonly run?: (tool: string, args: Record<string, unknown>) => Outcome;
}

/** A conversation with the planner in the place of the model, for tests: tools answer what the test says. */
export function createConversation(catalog: ToolCatalog, situation: Situation = {}) {
  const known = { project: ['shop', 'blog'], server: ['web-1', 'web-2'] };
  const installed = catalog.groups.filter((group) => group.installed);
  const loaded = new Set(situation.loaded ?? installed.map(({ name }) => name));
  const run = situation.run ?? ((tool, args) => ({ ok: true, result: {}, say: `ran ${tool} ${JSON.stringify(args)}` }));
  const history: BaseMessage[] = [];
  let mayChange = true;
  const calls: { readonly tool: string; readonly args: Record<string, unknown> }[] = [];

  const next = (): PlannedMessage => {
    const facts = { known, currentProject: null, activeGroups: [...loaded], ...situation.facts };
    const system = new SystemMessage({ content: '', additional_kwargs: { facts } });
    const tools = installed.filter(({ name }) => loaded.has(name)).flatMap((group) => group.tools);
    const bound = [
      ...BASE.map((name) => ({ name, description: '', schema: {} })),
      ...tools.map(({ name, describe: description, schema }) => ({ name, description, schema })),
    ];
    return planNextMessage({ messages: [system, ...history], tools: bound, catalog, mayChange });
  };

  const load = (wanted: readonly string[]): Outcome => {
    const enabled = wanted.filter((name) => installed.some((group) => group.name === name));
    enabled.forEach((name) => loaded.add(name));
    const missing = wanted.filter((name) => !enabled.includes(name));
    return { ok: true, result: { enabled, new_tools: [], not_installed: missing, unknown: [] }, say: 'Loaded.' };
  };

  const execute = (name: string, args: Record<string, unknown>): Outcome => {
    if (name === 'respond_to_user') return { ok: true, say: String(args['message']) };
    calls.push({ tool: name, args });
    return name === 'request_capabilities' ? load(args['capabilities'] as string[]) : run(name, args);
  };

  /** Adds the planner's next message, and the result of its call unless the test keeps it. Null when it made no call. */
  const step = (
    keepResult = false,
  ): { readonly name: string; readonly args: Record<string, unknown>; readonly id: string } | null => {
    const { id, content, toolCalls, kwargs } = next();
    const tool_calls = toolCalls.map((call) => ({ ...call, type: 'tool_call' as const }));
    history.push(new AIMessage({ id, content, tool_calls, additional_kwargs: kwargs }));
    const [call] = toolCalls;
    if (call && !keepResult) addResult(call.id, execute(call.name, call.args));
    return call ?? null;
  };

  const addResult = (callId: string, { say, ...body }: Outcome): void => {
    const content = JSON.stringify(body.ok ? body : { ...body, say });
    const kwargs = say === undefined ? {} : { say };
    history.push(new ToolMessage({ tool_call_id: callId, content, additional_kwargs: kwargs }));
  };

  const hear = (...said: readonly (string | { readonly event: string })[]): void => {
    for (const one of said) {
      const id = `h${history.length + 1}`;
      if (typeof one === 'string') history.push(new HumanMessage({ id, content: one }));
      else
        history.push(
          new HumanMessage({
            id,
            content: 'event',
            additional_kwargs: { event: { kind: 'job-finished', say: one.event } },
          }),
        );
    }
  };

  /** What the person reads after saying this, all of it at once. */
  const turn = (...said: readonly (string | { readonly event: string })[]): readonly Reply[] => {
    hear(...said);
    const replies: Reply[] = [];
    for (let pass = 0; pass < 40; pass++) {
      const call = step();
      const content = history.at(call ? -2 : -1)?.text ?? '';
      if (content !== '') replies.push({ text: content });
      if (call?.name === 'respond_to_user') replies.push(readReply(call.args));
      if (!call || call.args['awaiting_response'] === true || call.name === 'finish_task') return replies;
    }
    throw new Error('the planner loops');
  };

  /** From here on the planner stands in for a model that does not answer. */
  const standIn = (): void => void (mayChange = false);

  return { standIn, turn, hear, step, next, addResult, calls, history };
}

function readReply(args: Record<string, unknown>): Reply {
  const choices = args['choices'] as { value: string }[] | undefined; // written by the planner under test
  return { text: String(args['message']), ...(choices ? { choices: choices.map(({ value }) => value) } : {}) };
}
