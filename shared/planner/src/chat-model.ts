import type { BaseLanguageModelInput } from '@langchain/core/language_models/base';
import { AIMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import type { Runnable } from '@langchain/core/runnables';
import type { ToolCatalog, BoundTool } from '@signalbox/contracts/tool-catalog';
import { planNextMessage } from './plan.ts';
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models';
import { isInteropZodSchema } from '@langchain/core/utils/types';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import { z } from 'zod';

const OpenAiTool = z.object({
  function: z.object({ name: z.string(), description: z.string().catch(''), parameters: z.unknown() }),
});
const NamedTool = z.object({ name: z.string(), description: z.string().catch(''), schema: z.unknown() });

interface OfflineCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

/** The offline model: no network, clock or randomness. Adapts `plan` to LangChain, whose models are classes. */
export class OfflineChatModel extends BaseChatModel<OfflineCallOptions> {
  readonly #catalog: () => ToolCatalog;
  readonly #mayChange: boolean;

  /** `mayChange`: true when the model may plan changes. As a substitute for a failed model it only plans lookups. */
  constructor({ catalog, mayChange }: { readonly catalog: () => ToolCatalog; readonly mayChange: boolean }) {
    super({});
    this.#catalog = catalog;
    this.#mayChange = mayChange;
  }

  override _llmType(): string {
    return 'offline';
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs?: Partial<OfflineCallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, OfflineCallOptions> {
    return this.withConfig({ ...kwargs, tools });
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    options.signal?.throwIfAborted();
    const planned = planNextMessage({
      messages,
      tools: readBoundTools(options.tools),
      catalog: this.#catalog(),
      mayChange: this.#mayChange,
    });
    const message = new AIMessage({
      id: planned.id,
      content: planned.content,
      tool_calls: planned.toolCalls.map((call) => ({ ...call, type: 'tool_call' as const })),
      additional_kwargs: planned.kwargs,
    });
    return { generations: [{ text: planned.content, message }] };
  }
}

/** Reads structured tools and the tool definitions of LangChain and OpenAI. Skips values of any other form. */
export function readBoundTools(tools: readonly unknown[] | undefined): readonly BoundTool[] {
  return (tools ?? []).flatMap((tool): readonly BoundTool[] => {
    const openAi = OpenAiTool.safeParse(tool);
    if (openAi.success) {
      const { name, description, parameters } = openAi.data.function;
      return [{ name, description, schema: parameters }];
    }
    const named = NamedTool.safeParse(tool);
    if (!named.success) return [];
    const { name, description, schema } = named.data;
    return [{ name, description, schema: isInteropZodSchema(schema) ? toJsonSchema(schema) : schema }];
  });
}
