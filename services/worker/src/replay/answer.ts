import { AIMessage } from '@langchain/core/messages';
import type { RecordedAnswer } from '@signalbox/contracts/governance/execution-turn';
import { toReasoningExtras } from '@signalbox/models/reasoning';

/** A recorded answer as the message that a model gave. */
export function answerMessage({
  id,
  modelId = id,
  text,
  calls,
  unreadable,
  reasoning,
  extras,
}: RecordedAnswer): AIMessage {
  return new AIMessage({
    ...(modelId === null ? {} : { id: modelId }),
    content: text,
    tool_calls: calls.map((call) => ({ type: 'tool_call' as const, ...call })),
    invalid_tool_calls: unreadable.map(({ name, args }) => ({
      type: 'invalid_tool_call' as const,
      ...(name === null ? {} : { name }),
      ...(args === null ? {} : { args }),
    })),
    additional_kwargs: { ...extras, ...toReasoningExtras(reasoning ?? null) },
  });
}
