import type { ModelFailureReason } from '../retry/failure.ts';

/** Vectors of unit length, in the order of the texts; null for a text that has none. All have `dims` numbers. */
export type Embedded =
  | { readonly kind: 'embedded'; readonly dims: number; readonly vectors: readonly (readonly number[] | null)[] }
  /** `status`: the HTTP status, when the server answered. */
  | { readonly kind: 'failed'; readonly reason: ModelFailureReason; readonly status: number | null };

/** Turns texts into vectors. See settings.ts for the server. */
export interface Embedder {
  readonly model: string;
  /** Makes one vector of each text within `deadlineMs`, by default the embedder's own. Tries once; each call costs. Never throws. */
  embed(
    texts: readonly string[],
    options?: { readonly deadlineMs?: number; readonly signal?: AbortSignal },
  ): Promise<Embedded>;
}
