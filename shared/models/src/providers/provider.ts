import { SystemMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import type { Runnable } from '@langchain/core/runnables';
import type { BoundTool } from '@signalbox/contracts/tool-catalog';
import type { ObjectRequest } from '../port.ts';

/** How to reach one model. */
export interface ModelAccess {
  readonly model: string;
  /** Null for servers that ask for none. */
  readonly apiKey: string | null;
  /** The provider's own address, or the one that was set. */
  readonly baseURL: string;
}

/** The variables of a provider, by what they say: failures name them. */
export interface ProviderVariables {
  readonly key: string | null;
  readonly url: string;
  readonly model: string;
}

/** What a provider's variables say. */
export interface ProviderReading {
  /** Enough is set to start with, so MODEL need not be. */
  readonly chosen: boolean;
  /** What is missing, in words that follow the provider's name: "needs OPENAI_API_KEY". Empty: it can be used. */
  readonly missing: readonly string[];
  readonly apiKey: string | null;
  readonly baseURL: string;
  /** The model when only the provider is named; null when there is no sensible one. */
  readonly model: string | null;
}

/** One call as a client takes it. */
export interface ClientCall {
  readonly tools: readonly BoundTool[];
  readonly object: ObjectRequest | null;
}

export type Fetch = typeof globalThis.fetch;

/** A provider whose client is loaded. */
export interface Wire {
  /**
   * A client for one try, made for this call. All of its requests go through `fetch`, and it tries nothing twice by itself:
   * a client of its own for each try means that ending one never ends another.
   */
  client(call: ClientCall, fetch: Fetch): Runnable<BaseMessage[], AIMessageChunk>;
  /** The conversation as this provider takes it. */
  arrange(messages: readonly BaseMessage[]): BaseMessage[];
  /**
   * Why the server ended its answer, in its own word, read off the answer or the piece of it that says so; null where none does. An
   * answer that was cut off politely, without an error, lacks the word.
   */
  endOf(answer: AIMessageChunk): string | null;
  /**
   * Whether the last count of a stream holds what the first one said too. The client adds them up, as the providers with running
   * differences need it.
   */
  readonly countsAnew?: boolean;
  /** What this provider wants back with the answer in later requests. JSON; null for nothing. */
  keep?(answer: AIMessageChunk): unknown;
}

/** One file in this folder each. To add one, see docs/extending.md. */
export interface Provider {
  /** As MODEL names it. */
  readonly id: string;
  readonly variables: ProviderVariables;
  /** Reads the provider's own variables out of the whole configuration. */
  read(config: Readonly<Record<string, unknown>>): ProviderReading;
  /** Loads the client: it costs start-up time that other providers need not pay. */
  open(access: ModelAccess): Promise<Wire>;
}

/** What servers call the end of an answer that said all it had to say. Every other word is a limit, a filter or a failure. */
const COMPLETE =
  /^(?:stop|stop_sequence|end|end_turn|eos|eos_token|complete|completed|done|tool_use|tool_calls?|function_calls?)$/i;

/** Whether a server's word for the end of an answer says that nothing is missing. */
export function isComplete(end: string): boolean {
  return COMPLETE.test(end);
}

/** Tools in OpenAI's form, which every client understands. */
export function toFunctions(tools: readonly BoundTool[]): {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}[] {
  return tools.map(({ name, description, schema }) => ({
    type: 'function',
    // A tool's schema is JSON Schema by the contract of the tool registry.
    function: { name, description, parameters: schema as Record<string, unknown> },
  }));
}

/** The object as a tool that has to be called, for models that have no form of their own. */
export function toTool({ name, description, schema }: ObjectRequest): BoundTool {
  return { name, description, schema };
}

/** The same message with its text in one piece: not every server takes a system message in parts. */
export function flattenSystem(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.map((message) => {
    if (!SystemMessage.isInstance(message) || typeof message.content === 'string') return message;
    return new SystemMessage({ content: message.text });
  });
}
