import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import type { Model, ModelSpend } from '@signalbox/models/port';
import { isTruncatedAnswer } from '@signalbox/models/answers/whole-answer';
import { redactText } from '@signalbox/safety/redact/redact';
import { NODES, type ModelNode } from './nodes.ts';
import type { ChangeSteps } from './steps.ts';

/** A call of a node as it was saved. */
export interface NodeCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** True when the arguments held a secret: what was saved is not what was written, so the call is not carried out. */
  readonly hadSecret: boolean;
}

interface NodeAnswer {
  readonly text: string;
  readonly calls: readonly NodeCall[];
}

/** A node's conversation, which is made anew from the saved steps. */
export class NodeTalk {
  readonly #node: ModelNode;
  readonly #model: Model;
  readonly #steps: ChangeSteps;
  readonly #signal: AbortSignal;
  readonly #messages: BaseMessage[];
  #answers = 0;
  #open: readonly NodeCall[] = [];

  constructor(
    {
      node,
      model,
      steps,
      signal,
    }: { readonly node: ModelNode; readonly model: Model; readonly steps: ChangeSteps; readonly signal: AbortSignal },
    opening: unknown,
  ) {
    this.#node = node;
    this.#model = model;
    this.#steps = steps;
    this.#signal = signal;
    this.#messages = [new SystemMessage(NODES[node].rules), new HumanMessage(JSON.stringify(opening))];
  }

  /** Asks the node what to do next. Throws CONFLICT when its calls or tokens are spent, and errors of the model. */
  async ask(): Promise<readonly NodeCall[]> {
    const { maxCalls, maxTokens, tools } = NODES[this.#node];
    const { calls, tokens } = this.#steps.spentBy(this.#node);
    if (this.#answers >= maxCalls || calls >= maxCalls || tokens >= maxTokens)
      throw new AppError('CONFLICT', {
        detail: say('engineering.overBudget', {
          node: this.#node,
          calls: Math.max(calls, this.#answers),
          tokens,
        }),
      });
    const answer = await this.#steps.do<NodeAnswer>(this.#node, 'answer', async () => {
      const spends: ModelSpend[] = [];
      const { message, model } = await this.#model.ask({
        messages: shortenOld(this.#messages),
        tools,
        object: null,
        signal: this.#signal,
        onSpend: (spend) => spends.push(spend),
      });
      const sum = (pick: (spend: ModelSpend) => number | null): number =>
        spends.reduce((total, spend) => total + (pick(spend) ?? 0), 0);
      const spent = {
        model,
        // A server that reports no usage is counted by its calls.
        inputTokens: Math.max(
          1,
          sum((one) => one.inputTokens),
        ),
        outputTokens: sum((one) => one.outputTokens),
        costUsd: spends.some(({ costUsd }) => costUsd === null) ? null : sum((one) => one.costUsd),
      };
      return { content: readAnswer(message), spent };
    });
    this.#answers += 1;
    const ids = answer.calls.map((_, at) => `call_${this.#answers}_${at + 1}`);
    this.#messages.push(
      new AIMessage({
        content: answer.text,
        tool_calls: answer.calls.map(({ name, args }, at) => ({
          id: ids[at] ?? '',
          name,
          args,
          type: 'tool_call' as const,
        })),
      }),
    );
    this.#open = answer.calls;
    return answer.calls;
  }

  /** Gives the results of the newest calls, in order; without calls, what to do instead. */
  tell(results: readonly unknown[]): void {
    const texts = results.map((result) => (typeof result === 'string' ? result : JSON.stringify(result)));
    if (this.#open.length === 0) this.#messages.push(new HumanMessage(texts.join('\n') || 'Answer with a tool call.'));
    for (const [at, call] of this.#open.entries())
      this.#messages.push(
        new ToolMessage({
          tool_call_id: `call_${this.#answers}_${at + 1}`,
          name: call.name,
          content: texts[at] ?? 'not carried out',
        }),
      );
    this.#open = [];
  }
}

const MAX_CALLS_AT_ONCE = 8;

function readAnswer(message: AIMessage): NodeAnswer {
  // What was cut off is no call.
  if (isTruncatedAnswer(message))
    return { text: '(your answer was cut off before its end: make it shorter)', calls: [] };
  const calls = (message.tool_calls ?? []).slice(0, MAX_CALLS_AT_ONCE).map(({ name, args: given }) => {
    const args: Readonly<Record<string, unknown>> = { ...given };
    const texts = [JSON.stringify(args), ...Object.values(args).filter((value) => typeof value === 'string')];
    return { name, args, hadSecret: texts.some((one) => redactText(one) !== one) };
  });
  return { text: message.text.slice(0, 4_000), calls };
}

const MAX_CHARACTERS = 400_000;
const KEPT_RESULTS = 6;

/** Leaves old results out when a conversation grows too long for a model; the node can read files again. Pure. */
function shortenOld(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const length = messages.reduce((sum, message) => sum + message.text.length, 0);
  if (length <= MAX_CHARACTERS) return messages;
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  const old = new Set<BaseMessage>(results.slice(0, -KEPT_RESULTS));
  return messages.map((message) =>
    old.has(message) && ToolMessage.isInstance(message) && message.text.length > 200
      ? new ToolMessage({
          tool_call_id: message.tool_call_id,
          content: '(left out because it is old; look again if you need it)',
        })
      : message,
  );
}
