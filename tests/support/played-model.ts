import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { Models } from '@signalbox/models/port';
import { createScriptedModels } from './scripted-model.ts';

const LOAD = 'request_capabilities';

/** A call of a tool, as a model proposes it. */
export interface PlayedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Models that play a part: for a message with the part's name, its calls one after the other, and then what came of the last one. */
export function createPlayedModels(
  groups: readonly string[],
  parts: Readonly<Record<string, readonly PlayedCall[]>>,
  seen: (messages: readonly BaseMessage[]) => void = () => undefined,
): Models {
  return createScriptedModels((messages, tools) => {
    if (tools.some(({ name }) => name === 'classify_intent'))
      return {
        toolCalls: [
          { name: 'classify_intent', args: { task_summary: 'play', capabilities: [...groups], project: null } },
        ],
      };
    seen(messages);
    const start = messages.findLastIndex(
      (message) => HumanMessage.isInstance(message) && !message.additional_kwargs['event'],
    );
    const asked = messages[start]?.text ?? '';
    const calls = Object.entries(parts).find(([name]) => asked.includes(name))?.[1] ?? [];
    const since = messages.slice(start + 1);
    const made = since.filter(AIMessage.isInstance).flatMap((message) => message.tool_calls ?? []);
    const next = calls[made.filter(({ name }) => name !== LOAD).length];
    const isLoaded = next === undefined || tools.some(({ name }) => name === next.tool);
    if (!isLoaded && !made.some(({ name }) => name === LOAD))
      return { toolCalls: [{ name: LOAD, args: { capabilities: [...groups], reason: 'the part needs them' } }] };
    if (next) return { toolCalls: [{ name: next.tool, args: { ...next.args } }] };
    return { content: since.findLast(ToolMessage.isInstance)?.text ?? `Nothing to play for: ${asked}` };
  });
}
