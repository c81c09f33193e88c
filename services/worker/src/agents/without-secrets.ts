import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { redactText, redactValue } from '@signalbox/safety/redact/redact';
import type { Model, ModelAnswer, Models } from '@signalbox/models/port';

/** Wraps models so that `[secret]` replaces any secret in their input and output, as a last line of defense. */
export function withRedaction(models: Models): Models {
  const known = new Map<Model, Model>();
  return {
    names: models.names,
    of: (agent, node) => {
      const model = models.of(agent, node);
      const before = known.get(model);
      if (before) return before;
      const guarded = guard(model);
      known.set(model, guarded);
      return guarded;
    },
  };
}

function guard(model: Model): Model {
  // Redacted messages are cached, because each call gets the whole conversation again.
  const clean = new WeakMap<BaseMessage, BaseMessage>();
  const cleaned = (message: BaseMessage): BaseMessage => {
    const before = clean.get(message);
    if (before) return before;
    const redacted = redactMessage(message);
    clean.set(message, redacted);
    return redacted;
  };
  return {
    name: model.name,
    ...(model.sees ? { sees: true as const } : {}),
    ...(model.silenceMs === undefined ? {} : { silenceMs: model.silenceMs }),
    ask: async (request) => redactAnswer(await model.ask({ ...request, messages: request.messages.map(cleaned) })),
  };
}

function redactAnswer(answer: ModelAnswer): ModelAnswer {
  const message = redactMessage(answer.message);
  return AIMessage.isInstance(message) ? { ...answer, message } : answer;
}

/** Redacts a message; returns the same object when nothing was redacted. */
function redactMessage(message: BaseMessage): BaseMessage {
  const content = typeof message.content === 'string' ? redactText(message.content) : redactValue(message.content);
  const { id, name, additional_kwargs, response_metadata } = message;
  const fields = { content, id, name, additional_kwargs, response_metadata };
  if (AIMessage.isInstance(message)) {
    const calls = (message.tool_calls ?? []).map((call) => ({ ...call, args: redactValue(call.args) }));
    const isSame = isEqual(content, message.content) && isEqual(calls, message.tool_calls ?? []);
    if (isSame) return message;
    const { usage_metadata, invalid_tool_calls } = message;
    return new AIMessage({ ...fields, tool_calls: calls, invalid_tool_calls, usage_metadata } as never); // The spread contains AIMessage's own fields
  }
  if (isEqual(content, message.content)) return message;
  if (HumanMessage.isInstance(message)) return new HumanMessage(fields as never); // The spread contains the fields that all messages share
  if (SystemMessage.isInstance(message)) return new SystemMessage(fields as never); // The spread contains the fields that all messages share
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id, status, artifact } = message;
    return new ToolMessage({ ...fields, tool_call_id, status, artifact: artifact as unknown } as never); // The spread contains ToolMessage's own fields
  }
  return message;
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
