import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { Models } from '@signalbox/models/port';
import { createScriptedModels } from './scripted-model.ts';

/**
 * Models that do what a message says (`DO tool {"json": "arguments"}`), once, and answer with the sentence of the result. `read` gets each
 * result as a model reads it.
 */
export function createObedientModels(
  groups: readonly string[],
  read: (result: string) => void = () => undefined,
): Models {
  return createScriptedModels((messages, tools) => {
    if (tools.some(({ name }) => name === 'classify_intent'))
      return {
        toolCalls: [{ name: 'classify_intent', args: { task_summary: 'a chat', capabilities: groups, project: null } }],
      };
    const since = messages.slice(messages.findLastIndex(HumanMessage.isInstance));
    const result = since.findLast(ToolMessage.isInstance);
    if (result) {
      read(result.text);
      return { content: String(result.additional_kwargs['say']) };
    }
    const [, name, args = '{}'] = /DO (\w+) (\{.*\})/s.exec(since[0]?.text ?? '') ?? [];
    if (name === undefined || since.some(AIMessage.isInstance)) return { content: 'hello' };
    return { toolCalls: [{ name, args: JSON.parse(args) as Record<string, unknown> }] };
  });
}
