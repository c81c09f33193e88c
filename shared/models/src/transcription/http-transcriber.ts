import { parseJson } from '@signalbox/contracts/system-error';
import { abortAfter, backoffMs, sleep, untilAborted } from '@signalbox/contracts/time';
import { z } from 'zod';
import { isTransient, type ModelFailureReason } from '../retry/failure.ts';
import { createHttpTry } from '../retry/http-try.ts';
import type { Recording, Transcriber, Transcription } from './transcriber.ts';

/** One more try rides out a short failure; the person can speak again too. */
const TRIES = 2;
const BACKOFF_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/** A transcript of an hour has 60 kB; what is larger is no transcript. */
const ANSWER_LIMIT_BYTES = 512_000;

const Answer = z.object({ text: z.string() });

/** What recognizers write for sounds that are no words: `[BLANK_AUDIO]`, `(music)`. */
const NO_WORDS = /^\s*(?:[[(*][^\])*]*[\])*]\s*)*$/;

/** A server that speaks OpenAI's `POST {url}/audio/transcriptions`. */
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
      if (!response.ok) return failed(http.failure());
      const heard = Answer.safeParse(parseJson(await readText(response)));
      if (!heard.success) return failed({ reason: 'cut', facts: { status: response.status } });
      return NO_WORDS.test(heard.data.text) ? { kind: 'silent' } : { kind: 'heard', text: heard.data.text };
    } catch {
      return failed(http.failure());
    }
  };

  return {
    limitBytes,
    deadlineMs,
    transcribe: async (recording, stop) => {
      const deadline = abortAfter(deadlineMs);
      const signal = AbortSignal.any([stop, deadline]);
      for (let attempt = 1; ; attempt += 1) {
        const tried = await untilAborted(tryOnce(recording, signal), stop);
        if (deadline.aborted && tried.kind === 'failed') return { ...tried, reason: 'timeout' };
        // An answer that cannot be read was paid for already, and the next one would be the same.
        const isWorthAnother = tried.kind === 'failed' && tried.reason !== 'cut' && isTransient(tried.reason);
        if (!isWorthAnother || attempt >= TRIES) return tried;
        await sleep(backoffMs(attempt, BACKOFF_MS, LONGEST_WAIT_MS), signal);
        stop.throwIfAborted();
      }
    },
  };
}

function failed({ reason, facts }: { readonly reason: ModelFailureReason; readonly facts: object }): Transcription {
  const status = 'status' in facts && typeof facts.status === 'number' ? facts.status : null;
  return { kind: 'failed', reason, status };
}

function toForm(model: string, { bytes, name, mimeType, language }: Recording): FormData {
  const form = new FormData();
  form.set('model', model);
  form.set('response_format', 'json');
  // OpenAI takes ISO 639-1, which is the first part of a language tag.
  const [spoken = ''] = (language ?? '').split('-');
  if (/^[a-z]{2}$/i.test(spoken)) form.set('language', spoken.toLowerCase());
  form.set('file', new Blob([new Uint8Array(bytes)], { type: mimeType }), name);
  return form;
}

/** The body of an answer. Throws when it is longer than any transcript. */
async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    const piece = chunk as Uint8Array; // a body yields bytes
    length += piece.length;
    if (length > ANSWER_LIMIT_BYTES) throw new Error('the answer is no transcript: it is too long');
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString();
}
