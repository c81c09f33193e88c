import type { ModelFailureReason } from '../retry/failure.ts';

/** A recorded voice note. */
export interface Recording {
  readonly bytes: Uint8Array;
  /** The recording's file name with an extension, from which some servers know the format. */
  readonly name: string;
  readonly mimeType: string;
  /** The probable spoken language as a BCP 47 code; null when unknown. */
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
  /** The maximum size of a recording in bytes; larger recordings are not sent. */
  readonly limitBytes: number;
  /** The milliseconds for one recording, with all tries. */
  readonly deadlineMs: number;
  /** Transcribes a recording once; each call costs. Failures are returned; only the signal's reason is thrown. */
  transcribe(recording: Recording, signal: AbortSignal): Promise<Transcription>;
}
