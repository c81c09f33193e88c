import type { AIMessage, BaseMessage } from '@langchain/core/messages';
import type { BoundTool } from '@signalbox/contracts/tool-catalog';

/*
 * What the agents know of language models: a request, an answer, and what it cost. Who answers is decided by the settings
 * (settings.ts), how a provider is spoken to stands in providers/, and tries, deadlines and the order of fallbacks are the same for
 * all of them (remote-model.ts, fallback.ts).
 */

/** The object that a model has to give instead of words: see `askObject`. */
export interface ObjectRequest {
  readonly name: string;
  readonly description: string;
  /** JSON Schema, draft 7. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Where partial text goes while it is written. */
export interface DraftRequest {
  /** The tool whose argument `field` is a message to a person: it is shown too while it grows. */
  readonly tool: string;
  readonly field: string;
  /** Gets the whole text so far, each time that it has grown. After a second try it may begin anew. Must not throw. */
  readonly show: (text: string) => void;
}

/** A picture that a person sent. It goes along with a call and is no part of the conversation. */
export interface Picture {
  /** The message that it came with. */
  readonly messageId: string;
  readonly mimeType: string;
  readonly base64: string;
}

export interface ModelRequest {
  /** A system message first, if there is one. */
  readonly messages: readonly BaseMessage[];
  /** What came with some of them. A model that does not see leaves them out. */
  readonly pictures?: readonly Picture[];
  readonly tools: readonly BoundTool[];
  /** Set: the answer is one object; `tools` is empty then. */
  readonly object: ObjectRequest | null;
  /** Ends the call and its connection at once. */
  readonly signal: AbortSignal;
  /** Models that answer in one piece never call it. */
  readonly draft?: DraftRequest;
  /** Told of everything that was used, also by tries that failed and calls that were cut short, as far as the provider says. */
  readonly onSpend?: (spend: ModelSpend) => void;
}

export interface ModelAnswer {
  /** Text and tool calls. An object comes as the arguments of a call with its name, or as text. */
  readonly message: AIMessage;
  /** Name of the model that answered. */
  readonly model: string;
}

/** What one call used. The built-in planner uses nothing: it reports zeros that cost nothing. */
export interface ModelSpend {
  readonly model: string;
  /** All input tokens, those from the provider's cache included. */
  readonly inputTokens: number;
  /** Those of the input that came out of the provider's cache. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** USD; null when the price of the model is not known or the provider reports no usage. Never 0 for want of a price. */
  readonly costUsd: number | null;
}

export interface Model {
  /** `provider:model`, or `offline`. */
  readonly name: string;
  /** It can look at pictures. */
  readonly sees?: true;
  /**
   * Answers once. Throws MODEL_UNAVAILABLE or its kin with a ModelFailure as its cause after all tries, and the signal's reason when it is
   * aborted. Asking twice may give two answers, and costs twice.
   */
  ask(request: ModelRequest): Promise<ModelAnswer>;
}

/** The models of an installation: one for each node of each agent. */
export interface Models {
  /** The main model's name, with those that stand in for it. */
  readonly names: readonly string[];
  of(agent: string, node: string): Model;
}

/** Told of every call, for figures. */
export interface ModelObserver {
  readonly onCall?: (call: { readonly model: string; readonly result: string; readonly durationMs: number }) => void;
  readonly onSpend?: (spend: ModelSpend) => void;
}
