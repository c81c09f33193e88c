import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { BoundTool } from '@signalbox/contracts/tool-catalog';
import { toModelError } from './retry/failure.ts';
import type { Model, ModelObserver, ModelRequest } from './port.ts';
import { toFunctions, toTool } from './providers/provider.ts';

/** Wraps a chat model of this process, such as the offline planner: no retries, deadline, cost or drafts. */
export function createLocalModel(chat: BaseChatModel, name: string, observer: ModelObserver = {}): Model {
  const bind = createToolBinder(chat);
  const spend = { model: name, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0 };
  return {
    name,
    ask: async ({ messages, tools, object, signal, onSpend }: ModelRequest) => {
      const startedAt = performance.now();
      const report = (result: string): void =>
        observer.onCall?.({ model: name, result, durationMs: performance.now() - startedAt });
      try {
        const model = object ? bind([toTool(object)], object.name) : bind(tools);
        const message = await model.invoke([...messages], { signal });
        report('answered');
        onSpend?.(spend);
        return { message, model: name };
      } catch (thrown) {
        report(signal.aborted ? 'aborted' : 'failed');
        throw signal.aborted ? thrown : toModelError(thrown);
      }
    },
  };
}

type Bound = Pick<BaseChatModel, 'invoke'>;

/** Binding is slow and depends only on the tools' names, so its result is cached per set of tools. */
function createToolBinder(model: BaseChatModel): (tools: readonly BoundTool[], force?: string) => Bound {
  const bound = new Map<string, Bound>();
  return (tools, force) => {
    const key = [force ?? '', ...tools.map((tool) => tool.name)].join(' ');
    const known = bound.get(key);
    if (known) return known;
    if (!model.bindTools) throw new Error(`the chat model ${model._llmType()} cannot call tools; choose one that can.`);
    const fresh = model.bindTools(toFunctions(tools), force ? { tool_choice: force } : {});
    bound.set(key, fresh);
    return fresh;
  };
}
