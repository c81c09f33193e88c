import type { ModelFailureReason } from '../retry/failure.ts';

/** A recording of somebody who speaks. */
export interface Recording {
  readonly bytes: Uint8Array;
  /** With an ending that says what it is: some servers go by nothing else. */
  readonly name: string;
  readonly mimeType: string;
  /** What is probably spoken, as a BCP 47 code; null when nobody knows. */
  readonly language: string | null;
}

/** What a recognizer made of a recording. */
export type Transcription =
  | { readonly kind: 'heard'; readonly text: string }
  /** It listened, and there were no words. */
  | { readonly kind: 'silent' }
  /** `status`: that of HTTP, where the server answered. */
  | { readonly kind: 'failed'; readonly reason: ModelFailureReason; readonly status: number | null };

/** Turns speech into text. Who does it is decided by the settings (settings.ts). */
export interface Transcriber {
  /** Larger recordings are not sent. */
  readonly limitBytes: number;
  /** Milliseconds that one recording gets, with all tries. */
  readonly deadlineMs: number;
  /**
   * Listens once. Asking twice may give two texts, and costs twice. A failure is a value; it throws nothing but the reason of the
   * signal, as soon as that fires.
   */
  transcribe(recording: Recording, signal: AbortSignal): Promise<Transcription>;
}
