import type { BaseLanguageModelInput } from '@langchain/core/language_models/base';
import { AIMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import type { Runnable } from '@langchain/core/runnables';
import { readBoundTools } from './bound-tool.ts';
import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';
import { plan } from './plan.ts';

import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models';

interface OfflineCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

/** The built-in model: no network, no clock, no randomness. A thin shell around `plan`; a class because LangChain's models are. */
export class OfflineChatModel extends BaseChatModel<OfflineCallOptions> {
  readonly #catalog: () => ToolCatalog;
  readonly #mayChange: boolean;

  /** `mayChange`: whether it plans changes. One that stands in for another model only looks things up. */
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
    const planned = plan({
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
