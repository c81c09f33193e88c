import { MIB } from '@signalbox/contracts/size';
import { abortAfter } from '@signalbox/contracts/time';
import { readBody } from '../retry/body.ts';
import { toHttpFailure } from '../retry/http-failure.ts';
import { createHttpTry } from '../retry/http-try.ts';
import type { Speaker } from './speaker.ts';

/** The largest audio that is passed on: two minutes of MP3 at 256 kbit/s have 3.8 MB. */
const MAX_AUDIO_BYTES = 4 * MIB;
/** The language of a voice when the text's is not known. */
const DEFAULT_LANGUAGE = 'en';

/** Creates a client of a server with OpenAI's `POST {url}/audio/speech`. It tries once: the browser can read aloud instead. */
export function createHttpSpeaker(options: {
  readonly url: string;
  readonly model: string;
  readonly voice: string;
  readonly apiKey: string | null;
  readonly deadlineMs: number;
}): Speaker {
  const { model, voice, apiKey, deadlineMs } = options;
  const url = `${options.url.replace(/\/+$/, '')}/audio/speech`;
  const headers = {
    'content-type': 'application/json',
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  return {
    speak: async (text, language) => {
      const signal = abortAfter(deadlineMs);
      const http = createHttpTry({ signal, silenceMs: deadlineMs, secrets: apiKey === null ? [] : [apiKey] });
      const [spoken = DEFAULT_LANGUAGE] = (language ?? '').split('-').filter(Boolean);
      const body = { model, voice: voice.replaceAll('{language}', spoken), input: text, response_format: 'mp3' };
      try {
        const response = await http.fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
        if (!response.ok) return toHttpFailure(http.failure());
        // A page or an error in JSON is no audio, whatever its status says.
        const [mimeType = ''] = (response.headers.get('content-type') ?? '').split(';');
        const bytes = await readBody(response, MAX_AUDIO_BYTES);
        const isAudio = /^audio\/[\w.+-]+$/.test(mimeType.trim()) && bytes.length > 0;
        if (!isAudio) return toHttpFailure({ reason: 'cut', facts: { status: response.status } });
        return { kind: 'spoken', mimeType: mimeType.trim(), bytes };
      } catch {
        return toHttpFailure(http.failure());
      }
    },
  };
}
