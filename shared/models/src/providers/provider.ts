import { SystemMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import type { Runnable } from '@langchain/core/runnables';
import type { BoundTool } from '@signalbox/contracts/tool-catalog';
import type { JsonOutputSpec } from '../port.ts';

/** Data for accessing one model. */
export interface ModelAccess {
  readonly model: string;
  /** Null for servers without keys. */
  readonly apiKey: string | null;
  /** The configured address, else the provider's own. */
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
  /** True when its variables suffice to choose it without MODEL. */
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
  readonly tools: readonly BoundTool[];
  readonly object: JsonOutputSpec | null;
}

export type Fetch = typeof globalThis.fetch;

/** A provider with its client library loaded. */
export interface LoadedProvider {
  /**
   * Creates a client for one try of this call, so that aborting one never aborts another. All its requests go through `fetch`, and it
   * does not retry.
   */
  client(call: ClientCall, fetch: Fetch): Runnable<BaseMessage[], AIMessageChunk>;
  /** Converts the conversation to the form of this provider. */
  arrange(messages: readonly BaseMessage[]): BaseMessage[];
  /**
   * The server's word for why the answer ended, from an answer or one of its pieces; null in pieces without it. Cut-off answers have none.
   */
  endOf(answer: AIMessageChunk): string | null;
  /** True when the last usage of a stream repeats the first one. The library adds both up, for providers that send differences. */
  readonly repeatsFirstCount?: boolean;
  /** Data as JSON that this provider wants back with the answer in later requests; null for none. */
  keep?(answer: AIMessageChunk): unknown;
}

/** A provider of models; each has a file in this folder. To add one, see docs/extending.md. */
export interface Provider {
  /** Name of the provider in MODEL. */
  readonly id: string;
  readonly variables: ProviderVariables;
  /** Reads the provider's variables from the configuration. */
  read(config: Readonly<Record<string, unknown>>): ProviderSettings;
  /** Loads the client library, only when the provider is used, because it slows the start. */
  open(access: ModelAccess): Promise<LoadedProvider>;
}

/** End reasons of complete answers. All others are limits, filters or failures. */
const COMPLETE =
  /^(?:stop|stop_sequence|end|end_turn|eos|eos_token|complete|completed|done|tool_use|tool_calls?|function_calls?)$/i;

/** True when an end reason means that nothing is missing. */
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
    // A tool's schema is JSON Schema by the contract of the tool registry.
    function: { name, description, parameters: schema as Record<string, unknown> },
  }));
}

/** Converts an object request to a forced tool, for models without structured outputs. */
export function toForcedTool({ name, description, schema }: JsonOutputSpec): BoundTool {
  return { name, description, schema };
}

/** Joins the parts of the system message into one text: not every server accepts parts. */
export function flattenSystem(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.map((message) => {
    if (!SystemMessage.isInstance(message) || typeof message.content === 'string') return message;
    return new SystemMessage({ content: message.text });
  });
}
