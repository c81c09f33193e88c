import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { sleep } from '@signalbox/contracts/time';
import type { BoundTool } from '@signalbox/contracts/tool-catalog';
import { readBoundTools } from '@signalbox/planner/chat-model';
import { createLocalModel } from '@signalbox/models/open-models';
import type { Models } from '@signalbox/models/port';
import { answerHonestly } from './honest-reader.ts';

export interface ScriptedAnswer {
  /** What the server calls this answer. */
  readonly id?: string;
  readonly content?: string;
  readonly toolCalls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly args: Record<string, unknown>;
  }[];
  readonly kwargs?: Record<string, unknown>;
  /** How long the model takes; an abort ends it early. */
  readonly delayMs?: number;
  /** Thrown after the delay instead of an answer. */
  readonly throw?: Error;
}

/** What a test's model says to a history, given the tools it was offered. */
export type ModelScript = (
  messages: readonly BaseMessage[],
  tools: readonly BoundTool[],
  call: { readonly signal: AbortSignal | undefined; readonly index: number },
) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** A chat model for tests whose answers are a function. Rejects with the signal's reason when it is aborted. */
export function createScriptedModel(script: ModelScript): BaseChatModel<ScriptedCallOptions> {
  return new ScriptedChatModel(script);
}

/** The models of a test's worker: every node is answered by one script. */
export function createScriptedModels(script: ModelScript, name = 'scripted'): Models {
  const model = createLocalModel(createScriptedModel(script), name);
  return { names: [name], of: () => model };
}

function answerReader(messages: readonly BaseMessage[]): ScriptedAnswer {
  return { toolCalls: [{ name: 'verdict', args: { ...answerHonestly(messages.at(-1)?.text ?? '') } }] };
}

interface ScriptedCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

class ScriptedChatModel extends BaseChatModel<ScriptedCallOptions> {
  readonly #script: ModelScript;
  #calls = 0;

  constructor(script: ModelScript) {
    super({});
    this.#script = script;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(tools: BindToolsInput[], kwargs?: Partial<ScriptedCallOptions>) {
    return this.withConfig({ ...kwargs, tools });
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const { signal } = options;
    const tools = readBoundTools(options.tools);
    const isReading = tools.some(({ name }) => name === 'verdict');
    const index = isReading ? -1 : this.#calls++; // the clean reader's question is not the script's
    signal?.throwIfAborted();
    const answer = isReading ? answerReader(messages) : await this.#script(messages, tools, { signal, index });
    if (answer.delayMs) await sleep(answer.delayMs, signal);
    signal?.throwIfAborted();
    if (answer.throw !== undefined) throw answer.throw;
    const content = answer.content ?? '';
    const message = new AIMessage({
      ...(answer.id === undefined ? {} : { id: answer.id }),
      content,
      tool_calls: (answer.toolCalls ?? []).map(({ id, name, args }, position) => ({
        id: id ?? `call_${index}_${position}`,
        name,
        args,
        type: 'tool_call' as const,
      })),
      additional_kwargs: answer.kwargs ?? {},
    });
    return { generations: [{ text: content, message }] };
  }
}
