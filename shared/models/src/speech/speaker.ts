import type { ModelFailureReason } from '../retry/failure.ts';

/** The result of reading a text aloud. */
export type Spoken =
  | { readonly kind: 'spoken'; readonly mimeType: string; readonly bytes: Uint8Array }
  /** `status`: the HTTP status, when the server answered. */
  | { readonly kind: 'failed'; readonly reason: ModelFailureReason; readonly status: number | null };

/** Reads texts aloud. See settings.ts for the server. */
export interface Speaker {
  /** Makes audio of a text, within the speaker's deadline; each call costs. `language`: BCP 47, null when unknown. Never throws. */
  speak(text: string, language: string | null): Promise<Spoken>;
}
