import { HumanMessage, SystemMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import type { Runnable } from '@langchain/core/runnables';
import type { BoundTool } from '@signalbox/contracts/tool-catalog';
import type { CallOptions, JsonOutputSpec } from '../port.ts';

/** The name, key and address with which one model is called. */
export interface ModelAccess {
  readonly model: string;
  /** The API key; null for servers without keys. */
  readonly apiKey: string | null;
  /** The server's address: the configured address, else the provider's own. */
  readonly baseURL: string;
}

/** Names of a provider's variables, shown in failures. */
export interface ProviderVariables {
  readonly key: string | null;
  readonly url: string;
  readonly model: string;
}

/** A provider's configuration. */
export interface ProviderSettings {
  /** True when the set variables suffice to choose this provider without MODEL. */
  readonly chosen: boolean;
  /** Missing settings as phrases that follow the provider's name: "needs OPENAI_API_KEY". Empty when the provider is usable. */
  readonly missing: readonly string[];
  readonly apiKey: string | null;
  readonly baseURL: string;
  /** The model when MODEL names only the provider; null without a sensible default. */
  readonly model: string | null;
}

/** The parts of a request that a client is made for. */
export interface ClientCall {
  readonly options: CallOptions;
  readonly tools: readonly BoundTool[];
  readonly object: JsonOutputSpec | null;
}

export type Fetch = typeof globalThis.fetch;

/** A provider with its client library loaded. */
export interface LoadedProvider {
  /**
   * Creates a client for one try of a call, so that aborting one try never aborts another. All its requests go through `fetch`, and the
   * client does not retry.
   */
  client(call: ClientCall, fetch: Fetch): Runnable<BaseMessage[], AIMessageChunk>;
  /** Converts the messages to the form that this provider needs. */
  arrange(messages: readonly BaseMessage[]): BaseMessage[];
  /**
   * The server's word for why the answer ended, from an answer or one of its pieces; null in pieces without it. Cut-off answers have none.
   */
  endOf(answer: AIMessageChunk): string | null;
  /** The temperature when MODEL_TEMPERATURE is not set; missing when the model takes none, or its maker advises against another. */
  readonly temperature?: number | undefined;
  /** True when the last token count of a stream repeats the first. The library adds both, since some providers send differences. */
  readonly repeatsFirstCount?: boolean;
  /** Returns JSON data that this provider wants back with the answer in later requests; null for no data. */
  keep?(answer: AIMessageChunk): unknown;
}

/** A provider of models; each has a file in this folder. To add one, see docs/extending.md. */
export interface Provider {
  /** The provider's name in MODEL. */
  readonly id: string;
  readonly variables: ProviderVariables;
  /** Reads the provider's variables from the configuration. */
  read(config: Readonly<Record<string, unknown>>): ProviderSettings;
  /** Loads the client library, only when the provider is used, because it slows the start. */
  open(access: ModelAccess): Promise<LoadedProvider>;
}

/** End reasons of complete answers. All other reasons are limits, filters or failures. */
const COMPLETE =
  /^(?:stop|stop_sequence|end|end_turn|eos|eos_token|complete|completed|done|tool_use|tool_calls?|function_calls?)$/i;

/** True when an end reason means that the answer is complete. */
export function isNormalFinish(end: string): boolean {
  return COMPLETE.test(end);
}

/** Converts tools to OpenAI's form, which every client understands. */
export function toOpenAiTools(tools: readonly BoundTool[]): {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}[] {
  return tools.map(({ name, description, schema }) => ({
    type: 'function',
    // The tool registry guarantees that a tool's schema is JSON Schema.
    function: { name, description, parameters: schema as Record<string, unknown> },
  }));
}

/** Converts an object request to a forced tool, for models without structured outputs. */
export function toForcedTool({ name, description, schema }: JsonOutputSpec): BoundTool {
  return { name, description, schema };
}

/**
 * Brings system messages to the form that every server takes: one text at the start. What the runtime says later, such as the facts of
 * the moment, begins the person's message after it, or is a message of its own.
 */
export function flattenSystem(messages: readonly BaseMessage[]): BaseMessage[] {
  const [first, ...rest] = messages;
  if (!first) return [];
  if (!SystemMessage.isInstance(first) || typeof first.content === 'string') return [first, ...mergeLaterSystem(rest)];
  return [new SystemMessage({ content: first.text }), ...mergeLaterSystem(rest)];
}

/** Puts each system message into the person's message after it; into one of its own where none follows. */
export function mergeLaterSystem(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.flatMap((message, place) => {
    const before = messages[place - 1];
    if (SystemMessage.isInstance(message))
      return HumanMessage.isInstance(messages[place + 1]) ? [] : [new HumanMessage(message.text)];
    if (!HumanMessage.isInstance(message) || !before || !SystemMessage.isInstance(before)) return [message];
    const { id, content } = message;
    const told =
      typeof content === 'string'
        ? `${before.text}\n\n${content}`
        : [{ type: 'text' as const, text: before.text }, ...content];
    return [new HumanMessage({ ...(id === undefined ? {} : { id }), content: told })];
  });
}
