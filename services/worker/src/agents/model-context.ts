import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { ModelContext, RecordedAnswer } from '@signalbox/contracts/governance/execution-turn';
import type { ModelRequest } from '@signalbox/models/port';
import { toReasoningExtras, getReasoning } from '@signalbox/models/reasoning';
import { canonicalHash, canonicalJson, sha256 } from '@signalbox/safety/cards/canonical';
import { redactValue } from '@signalbox/safety/redact/redact';

/* The parts of a record about a question to a model and its answer, the same for every agent. */

/** What a model is given, without secrets, in hashes, so that they can be made again from a record. Ids of messages and what only concerns the call itself are no part of it. */
export function contextOf({
  messages,
  tools,
  object,
}: Pick<ModelRequest, 'messages' | 'tools' | 'object'>): ModelContext {
  const [first] = messages;
  const hasSystem = first?.getType() === 'system';
  const system = sha256(hasSystem ? cleanJson(first) : 'null');
  const rest = sha256(`[${(hasSystem ? messages.slice(1) : messages).map(cleanJson).join(',')}]`);
  const given = canonicalHash(object ? [hashOf(object)] : tools.map(hashOnce));
  return { hash: canonicalHash([system, rest, given]), system, messages: rest, tools: given };
}

/** What a model sees of a message, without secrets, as canonical JSON. A conversation is given anew with each question, so it is made once. */
const cleanJson = remember((message: BaseMessage) => canonicalOf(redactValue(shapeOf(message))));

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

/** The hash of an object that does not change, computed once while it lives: definitions of tools are asked about in every pass. */
export const hashOnce = remember((value: object) => hashOf(value));

/** SHA-256 of a value as canonical JSON; half a character is replaced. */
export function hashOf(value: unknown): string {
  return sha256(canonicalOf(value));
}

function canonicalOf(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    return canonicalJson(wellFormed(value)); // half a surrogate pair, out of a text that was cut
  }
}

function wellFormed(value: unknown): unknown {
  const json = JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'string' ? member.toWellFormed() : member,
  );
  return JSON.parse(json ?? 'null');
}

/** An answer of a model as records hold it; its reasons are a field of their own. */
export function answerOf(message: AIMessage): RecordedAnswer {
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
    extras: extras as RecordedAnswer['extras'], // JSON, as providers send and want it
  };
}

/** The same function, which makes its value once for each object and keeps it as long as the object lives. */
export function remember<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}
