import { MIB } from '@signalbox/contracts/size';
import { MINUTE_MS, SECOND_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import { createHttpTranscriber } from './http-transcriber.ts';
import type { Transcriber } from './transcriber.ts';

/** Variables of the recognizer. A service that listens spreads `TranscriptionConfig.shape` into its own config. */
export const TranscriptionConfig = z.object({
  /** Who turns speech into text: an address that speaks as OpenAI does, such as http://127.0.0.1:8000/v1. Not set: voice notes are off. */
  TRANSCRIPTION_URL: z.url().optional(),
  /** The name of the recognizer there. */
  TRANSCRIPTION_MODEL: z.string().min(1).default('whisper-1'),
  /** Its key, if it asks for one. Secret. */
  TRANSCRIPTION_API_KEY: z.string().optional().meta({ secret: true }),
  /** Milliseconds that one voice note gets, with all tries. */
  TRANSCRIPTION_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(10 * MINUTE_MS)
    .default(60 * SECOND_MS), // a person who waits longer has written it meanwhile
  /** The largest voice note that is listened to, in bytes. */
  TRANSCRIPTION_LIMIT_BYTES: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(25 * MIB) // what OpenAI takes (platform.openai.com/docs/guides/speech-to-text)
    .default(20 * MIB), // what Telegram hands out to a bot
});
export type TranscriptionConfig = z.infer<typeof TranscriptionConfig>;

/** The recognizer of these settings; null when voice notes are off. Nothing is asked yet. */
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
