import type { AIMessage, BaseMessage } from '@langchain/core/messages';
import type { BoundTool } from '@signalbox/contracts/tool-catalog';

/*
 * The agents' interface to language models. Which model answers is configured in settings.ts; providers/ has one client per provider;
 * retries, deadlines and fallbacks are the same for all (remote-model.ts, fallback.ts).
 */

/** An object that a model has to return instead of text: see `askForObject`. */
export interface JsonOutputSpec {
  readonly name: string;
  readonly description: string;
  /** The object's JSON Schema, draft 7. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Settings of a call that not every model takes. */
export interface CallOptions {
  readonly temperature?: number | undefined;
  /** The longest answer in tokens, thoughts included. */
  readonly maxOutputTokens?: number | undefined;
}

/** Receives the text of an answer while it is streamed. */
export interface DraftReceiver {
  /** The tool whose argument `field` is a message to a person, streamed as well. */
  readonly tool: string;
  readonly field: string;
  /** Called with the whole text so far whenever it grew; a retry may start again from nothing. Must not throw. */
  readonly show: (text: string) => void;
}

/** A picture that a person sent. It is part of one model call and not of the conversation. */
export interface Picture {
  readonly messageId: string;
  readonly mimeType: string;
  readonly base64: string;
}

export interface ModelRequest {
  /**
   * The messages for the model. A system message comes first; its first part never changes, and providers cache it together with the
   * tools. A later system message holds facts of the moment: providers cache what precedes it for the next turn.
   */
  readonly messages: readonly BaseMessage[];
  /** Pictures that belong to the messages. Models without vision do not get them. */
  readonly pictures?: readonly Picture[];
  readonly tools: readonly BoundTool[];
  /** When set, the model answers with one object, and `tools` must be empty. */
  readonly object: JsonOutputSpec | null;
  /** Aborts the call and its connection at once. */
  readonly signal: AbortSignal;
  /** The longest time in milliseconds that the call may wait for its provider's rate limit. Not set: the deadline of the answer. */
  readonly patienceMs?: number;
  /** Receives streamed text; models that do not stream ignore this receiver. */
  readonly draft?: DraftReceiver;
  /** Called for all usage that the provider reports, including failed tries and aborted calls. */
  readonly onSpend?: (spend: ModelSpend) => void;
}

export interface ModelAnswer {
  /** The answer's text and tool calls. An object arrives as the arguments of a call with its name, or as text. */
  readonly message: AIMessage;
  readonly model: string;
}

/** Token usage of one try as the provider counts it. */
export interface TokenCounts {
  /** All input tokens, both cached and uncached. */
  readonly inputTokens: number;
  /** Input tokens read from the provider's cache. */
  readonly cachedTokens: number;
  /** Input tokens written to the provider's cache, which some providers charge for. */
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** Usage of one call. The built-in planner reports zeros. */
export interface ModelSpend extends Omit<TokenCounts, 'cacheWriteTokens'> {
  readonly model: string;
  /** The cost in USD; null, never 0, when the price is unknown or the provider reports no usage. */
  readonly costUsd: number | null;
}

export interface Model {
  /** The model's name as `provider:model`, or `offline`. */
  readonly name: string;
  /** Set when the model accepts pictures. */
  readonly sees?: true;
  /** How long its server may be silent in one try, in milliseconds; missing for a model without a server. */
  readonly silenceMs?: number;
  /**
   * Asks the model once. After all tries it throws MODEL_UNAVAILABLE or a related code with a ModelFailure as cause; when aborted, the
   * signal's reason. Not idempotent: each call costs.
   */
  ask(request: ModelRequest): Promise<ModelAnswer>;
}

/** The models of an installation, per agent and node. */
export interface Models {
  /** Names of the main model and its fallbacks. */
  readonly names: readonly string[];
  of(agent: string, node: string): Model;
}

/** A call of a model with all its tries. */
export interface ObservedCall {
  readonly model: string;
  readonly result: string;
  readonly durationMs: number;
  /** The model that answered, as its server names it; null or missing when the server does not say. */
  readonly served?: string | null;
}

/** Observers that models call for metrics. */
export interface ModelObserver {
  readonly onCall?: (call: ObservedCall) => void;
  readonly onSpend?: (spend: ModelSpend) => void;
  /** Called when the model refuses a setting, without which it is asked from then on. */
  readonly onRefusedSetting?: (refusal: { readonly model: string; readonly setting: keyof CallOptions }) => void;
}
