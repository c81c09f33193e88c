import { SECOND_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import { createHttpSpeaker } from './http-speaker.ts';
import type { Speaker } from './speaker.ts';

/** Environment variables for speech synthesis. A service that uses it spreads `SpeechConfig.shape` into its own config. */
export const SpeechConfig = z.object({
  /** Address of a text-to-speech server with OpenAI's API, such as http://127.0.0.1:8880/v1. Not set: browsers read aloud themselves. */
  SPEECH_URL: z.url().optional(),
  /** The name of the text-to-speech model. */
  SPEECH_MODEL: z.string().min(1).default('tts-1'),
  /** The name of the voice; `{language}` in it is replaced by the language of the text, such as `de`. */
  SPEECH_VOICE: z.string().min(1).default('alloy'),
  /** The API key of the text-to-speech server, if it needs a key. Secret. */
  SPEECH_API_KEY: z.string().optional().meta({ secret: true }),
  /** The milliseconds for one answer; after a longer wait the browser reads it aloud itself. */
  SPEECH_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(60 * SECOND_MS)
    .default(10 * SECOND_MS),
});
export type SpeechConfig = z.infer<typeof SpeechConfig>;

/** Creates the speaker; null when there is no text-to-speech server. Sends no request. */
export function openSpeaker(config: SpeechConfig): Speaker | null {
  if (config.SPEECH_URL === undefined) return null;
  return createHttpSpeaker({
    url: config.SPEECH_URL,
    model: config.SPEECH_MODEL,
    voice: config.SPEECH_VOICE,
    apiKey: config.SPEECH_API_KEY ?? null,
    deadlineMs: config.SPEECH_TIMEOUT_MS,
  });
}
