import type { ModelFailureReason } from '../retry/failure.ts';

/** A recorded voice note. */
export interface Recording {
  readonly bytes: Uint8Array;
  /** File name with an extension, which some servers need to know the format. */
  readonly name: string;
  readonly mimeType: string;
  /** The probable language as a BCP 47 code; null when unknown. */
  readonly language: string | null;
}

/** The result of transcribing a recording. */
export type Transcription =
  | { readonly kind: 'heard'; readonly text: string }
  /** The recording has no words. */
  | { readonly kind: 'silent' }
  /** `status`: the HTTP status, when the server answered. */
  | { readonly kind: 'failed'; readonly reason: ModelFailureReason; readonly status: number | null };

/** Transcribes speech. See settings.ts for the server. */
export interface Transcriber {
  /** Larger recordings are not sent. */
  readonly limitBytes: number;
  /** Milliseconds for one recording, with all tries. */
  readonly deadlineMs: number;
  /** Transcribes once; each call costs. Failures are returned; it throws only the signal's reason, as soon as it aborts. */
  transcribe(recording: Recording, signal: AbortSignal): Promise<Transcription>;
}
