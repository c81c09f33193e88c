import { MIB } from '@signalbox/contracts/size';
import { MINUTE_MS, SECOND_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import { createHttpTranscriber } from './http-transcriber.ts';
import type { Transcriber } from './transcriber.ts';

const integer = z.coerce.number().int();

/** Environment variables for speech recognition. A service that uses it spreads `TranscriptionConfig.shape` into its own config. */
export const TranscriptionConfig = z.object({
  /** Address of a speech-to-text server with OpenAI's API, such as http://127.0.0.1:8000/v1. Not set: voice notes are off. */
  TRANSCRIPTION_URL: z.url().optional(),
  /** The name of the speech-to-text model. */
  TRANSCRIPTION_MODEL: z.string().min(1).default('whisper-1'),
  /** The API key of the speech-to-text server, if it needs a key. Secret. */
  TRANSCRIPTION_API_KEY: z.string().optional().meta({ secret: true }),
  /** The milliseconds for transcribing one voice note, with all tries. */
  TRANSCRIPTION_TIMEOUT_MS: integer
    .min(100)
    .max(10 * MINUTE_MS)
    .default(60 * SECOND_MS), // after a longer wait people type the message
  /** The largest voice note that is transcribed, in bytes: at most OpenAI's limit (its guide to speech-to-text), by default Telegram's limit for bots. */
  TRANSCRIPTION_LIMIT_BYTES: integer
    .min(1_000)
    .max(25 * MIB)
    .default(20 * MIB),
});
export type TranscriptionConfig = z.infer<typeof TranscriptionConfig>;

/** Creates the transcriber; null when voice notes are off. Sends no request. */
export function openTranscriber(config: TranscriptionConfig): Transcriber | null {
  if (config.TRANSCRIPTION_URL === undefined) return null;
  return createHttpTranscriber({
    url: config.TRANSCRIPTION_URL,
    model: config.TRANSCRIPTION_MODEL,
    apiKey: config.TRANSCRIPTION_API_KEY ?? null,
    deadlineMs: config.TRANSCRIPTION_TIMEOUT_MS,
    limitBytes: config.TRANSCRIPTION_LIMIT_BYTES,
  });
}
