import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { ModelInputHashes, RecordedAnswer } from '@signalbox/contracts/governance/execution-turn';
import type { ModelRequest } from '@signalbox/models/port';
import { toReasoningExtras, getReasoning } from '@signalbox/models/answers/reasoning';
import { hashCanonical, toCanonicalJson, sha256 } from '@signalbox/safety/cards/canonical';
import { redactValue } from '@signalbox/safety/redact/redact';

/** Hashes the input of a model, without secrets, for later comparison. Leaves out message ids and data of single calls. */
export function hashContext({
  messages,
  tools,
  object,
}: Pick<ModelRequest, 'messages' | 'tools' | 'object'>): ModelInputHashes {
  const isSystem = (message: BaseMessage): boolean => message.getType() === 'system';
  // The rules, and the facts of the moment with their place among the messages.
  const told = messages.flatMap((message, place) =>
    isSystem(message) ? [place === 0 ? cleanJson(message) : `${place}:${cleanJson(message)}`] : [],
  );
  const system = sha256(told.join(',') || 'null');
  const rest = sha256(
    `[${messages
      .filter((message) => !isSystem(message))
      .map(cleanJson)
      .join(',')}]`,
  );
  const given = hashCanonical(object ? [hashValue(object)] : tools.map(hashOnce));
  return { hash: hashCanonical([system, rest, given]), system, messages: rest, tools: given };
}

/** The JSON is cached, because each model call passes the whole conversation again. */
const cleanJson = cacheByObject((message: BaseMessage) => canonicalOf(redactValue(shapeOf(message))));

function shapeOf(message: BaseMessage): unknown {
  const { content, name = null, additional_kwargs: extras } = message;
  const shape = { type: message.getType(), name, content, extras };
  if (AIMessage.isInstance(message))
    return {
      ...shape,
      calls: (message.tool_calls ?? []).map(({ id, name: tool, args }) => ({ id, name: tool, args })),
    };
  if (ToolMessage.isInstance(message)) return { ...shape, callId: message.tool_call_id, status: message.status };
  return shape;
}

/** Hash of an immutable object, cached per object: every pass hashes the same tool definitions. */
export const hashOnce = cacheByObject((value: object) => hashValue(value));

/** Computes the SHA-256 of a value as canonical JSON. Replaces lone surrogates. */
export function hashValue(value: unknown): string {
  return sha256(canonicalOf(value));
}

function canonicalOf(value: unknown): string {
  try {
    return toCanonicalJson(value);
  } catch {
    return toCanonicalJson(wellFormed(value)); // A truncated text may end with half a surrogate pair
  }
}

function wellFormed(value: unknown): unknown {
  const json = JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'string' ? member.toWellFormed() : member,
  );
  return JSON.parse(json ?? 'null');
}

/** Converts a model's answer for the record, with reasoning as a separate field. */
export function toRecordedAnswer(message: AIMessage): RecordedAnswer {
  const { reasoning: _, ...extras } = message.additional_kwargs;
  return {
    ...toReasoningExtras(getReasoning(message)),
    id: message.id ?? null,
    text: message.text,
    calls: (message.tool_calls ?? []).map(({ id, name, args }) => ({ id: id ?? '', name, args })),
    unreadable: (message.invalid_tool_calls ?? []).map(({ name, args }) => ({
      name: name ?? null,
      args: args ?? null,
    })),
    extras: extras as RecordedAnswer['extras'], // Providers send and expect JSON.
  };
}

/** Caches a function's result per argument object, for the object's lifetime. */
export function cacheByObject<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}
