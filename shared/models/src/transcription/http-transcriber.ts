import { parseJson } from '@signalbox/contracts/system-error';
import { abortAfter, computeBackoffMs, sleep, waitOrAbort } from '@signalbox/contracts/time';
import { z } from 'zod';
import { readBody } from '../retry/body.ts';
import { isTransient } from '../retry/failure.ts';
import { toHttpFailure } from '../retry/http-failure.ts';
import { createHttpTry } from '../retry/http-try.ts';
import type { Recording, Transcriber, Transcription } from './transcriber.ts';

/** Maximum tries of a transcription: two survive a short outage, and the person can also speak again. */
const MAX_TRIES = 2;
const BACKOFF_MS = 500;
const MAX_WAIT_MS = 5_000;

/** The maximum response size: the transcript of an hour has about 60 kB. */
const MAX_RESPONSE_BYTES = 512_000;

const TranscriptResponse = z.object({ text: z.string() });

/** Matches what recognizers return for sounds without words: `[BLANK_AUDIO]`, `(music)`. */
const NO_WORDS = /^\s*(?:[[(*][^\])*]*[\])*]\s*)*$/;

/** Creates a client of a server with OpenAI's `POST {url}/audio/transcriptions`. */
export function createHttpTranscriber(options: {
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | null;
  readonly deadlineMs: number;
  readonly limitBytes: number;
}): Transcriber {
  const { apiKey, deadlineMs, limitBytes } = options;
  const url = `${options.url.replace(/\/+$/, '')}/audio/transcriptions`;
  const headers = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };

  const tryOnce = async (recording: Recording, signal: AbortSignal): Promise<Transcription> => {
    const http = createHttpTry({ signal, silenceMs: deadlineMs, secrets: apiKey === null ? [] : [apiKey] });
    try {
      const response = await http.fetch(url, { method: 'POST', headers, body: toForm(options.model, recording) });
      if (!response.ok) return toHttpFailure(http.failure());
      const parsed = TranscriptResponse.safeParse(parseJson((await readBody(response, MAX_RESPONSE_BYTES)).toString()));
      if (!parsed.success) return toHttpFailure({ reason: 'cut', facts: { status: response.status } });
      return NO_WORDS.test(parsed.data.text) ? { kind: 'silent' } : { kind: 'heard', text: parsed.data.text };
    } catch {
      return toHttpFailure(http.failure());
    }
  };

  return {
    limitBytes,
    deadlineMs,
    transcribe: async (recording, stop) => {
      const deadline = abortAfter(deadlineMs);
      const signal = AbortSignal.any([stop, deadline]);
      for (let attempt = 1; ; attempt += 1) {
        const tried = await waitOrAbort(tryOnce(recording, signal), stop);
        if (deadline.aborted && tried.kind === 'failed') return { ...tried, reason: 'timeout' };
        // An unreadable response is not retried: each try costs, and the response would not change.
        const mayRetry = tried.kind === 'failed' && tried.reason !== 'cut' && isTransient(tried.reason);
        if (!mayRetry || attempt >= MAX_TRIES) return tried;
        await sleep(computeBackoffMs(attempt, BACKOFF_MS, MAX_WAIT_MS), signal);
        stop.throwIfAborted();
      }
    },
  };
}

function toForm(model: string, { bytes, name, mimeType, language }: Recording): FormData {
  const form = new FormData();
  form.set('model', model);
  form.set('response_format', 'json');
  // OpenAI takes ISO 639-1, the first part of a language tag.
  const [spoken = ''] = (language ?? '').split('-');
  if (/^[a-z]{2}$/i.test(spoken)) form.set('language', spoken.toLowerCase());
  form.set('file', new Blob([new Uint8Array(bytes)], { type: mimeType }), name);
  return form;
}
