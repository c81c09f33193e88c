import { promptOf, startModelServer, type AskedMessage, type ModelAnswer } from '../support/model-server.ts';
import type { HonestCall, HonestTurn } from './honest-task.ts';
import { GROUP_OF } from './tool-groups.ts';

/** A good model for several people at once: it makes the calls of their turns, and waits for decisions as it is told to. */
export interface HonestModel {
  readonly url: string;
  /** What it does next for somebody. `all`: the calls of their whole task, whose groups the task needs. */
  play(person: string, turn: Pick<HonestTurn, 'calls' | 'answer' | 'ended'>, all: readonly HonestCall[]): void;
  /** True when it has made all calls of the turn, with those after the end of the job that it began. */
  isDone(person: string): boolean;
  close(): Promise<void>;
}

interface Script {
  calls: readonly HonestCall[][];
  answer: string;
  ended: HonestTurn['ended'];
  readonly groups: readonly string[];
  /** True once it has said its last words. */
  isTold: boolean;
}

export async function startHonestModel(reader: (question: string) => ModelAnswer): Promise<HonestModel> {
  const scripts = new Map<string, Script>();
  const server = await startModelServer(
    (messages, tools) => {
      const person = /The person is (\S+) \(role/.exec(promptOf(messages))?.[1] ?? '';
      const script = scripts.get(person);
      if (!script) return { content: 'Hello.' };
      if (tools.includes('classify_intent')) {
        const args = { task_summary: 'work', capabilities: script.groups, project: null };
        return { toolCalls: [{ name: 'classify_intent', args }] };
      }
      return answerNext(script, messages, tools);
    },
    { reader },
  );
  return {
    url: server.url,
    play: (person, { calls, answer, ended }, all) => {
      const groups = [...new Set(all.flatMap(({ tool }) => GROUP_OF[tool] ?? []))];
      const script = { calls: calls.map((round) => [...round]), answer, groups, isTold: false };
      // The runtime tells people of an end after which nothing is left to do.
      scripts.set(person, { ...script, ended: ended && ended.calls.length > 0 ? ended : undefined });
    },
    isDone: (person) => {
      const script = scripts.get(person);
      return script !== undefined && script.isTold && script.calls.length === 0 && script.ended === undefined;
    },
    close: () => server.close(),
  };
}

function answerNext(script: Script, messages: readonly AskedMessage[], tools: readonly string[]): ModelAnswer {
  const results = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const made = messages.findLast(({ role }) => role === 'assistant')?.calls ?? [];
  const texts = results.filter(({ role }) => role === 'tool').map(({ content }) => content);
  if (made[0]?.name === 'next_event' && script.ended && texts.some((text) => text.includes('"event":"job-finished"'))) {
    script.calls = [...script.calls, ...script.ended.calls.map((round) => [...round])];
    script.answer = script.ended.answer;
    script.ended = undefined;
  }
  // What was held behind a call that waits is proposed again when that is decided.
  const held = made.filter((_, at) => texts[at]?.includes('"status":"not_started"') === true);
  if (held.length > 0)
    script.calls = [
      held.map(({ name, args }) => ({ tool: name, args: args as HonestCall['args'] })), // as it made them
      ...script.calls,
    ];
  if (texts.some((text) => text.includes('"status":"waits"'))) return endTurn(script, 'Please look at the card.');
  const [round, ...later] = script.calls;
  if (round === undefined) return endTurn(script, script.answer === '' ? 'Done.' : script.answer);
  const missing = [...new Set(round.flatMap(({ tool }) => (tools.includes(tool) ? [] : (GROUP_OF[tool] ?? []))))];
  if (missing.length > 0)
    return { toolCalls: [{ name: 'request_capabilities', args: { capabilities: missing, reason: 'It takes that.' } }] };
  script.calls = later;
  if (later.length === 0 && round.some(({ tool }) => tool === 'respond_to_user')) script.isTold = true;
  return { toolCalls: round.map(({ tool, args }) => ({ name: tool, args: fill(args, messages) })) };
}

/** Ends a turn: with the word that the task goes on, when something is left to do after a decision or an end. */
function endTurn(script: Script, message: string): ModelAnswer {
  if (script.calls.length > 0 || script.ended !== undefined)
    return { toolCalls: [{ name: 'respond_to_user', args: { message, goes_on: true } }] };
  script.isTold = true;
  return { content: message };
}

/** Puts fields of the newest results in the place of `{tool.field}`. */
function fill(args: HonestCall['args'], messages: readonly AskedMessage[]): HonestCall['args'] {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const [, tool = '', field = ''] = /^\{(\w+)\.(\w+)\}$/.exec(String(value)) ?? [];
      return [name, tool === '' ? value : readResult(messages, tool, field)];
    }),
  );
}

function readResult(messages: readonly AskedMessage[], tool: string, field: string): unknown {
  const at = messages.findLastIndex(({ calls = [] }) => calls.some(({ name }) => name === tool));
  const nth = messages[at]?.calls?.findIndex(({ name }) => name === tool) ?? 0;
  const { result } = JSON.parse(messages[at + 1 + nth]?.content ?? '{}') as { result?: Record<string, unknown> }; // as results are written
  return result?.[field];
}
