import { MIB } from '@signalbox/contracts/size';
import { parseJson } from '@signalbox/contracts/system-error';
import { abortAfter } from '@signalbox/contracts/time';
import { z } from 'zod';
import { readBody } from '../retry/body.ts';
import { toHttpFailure } from '../retry/http-failure.ts';
import { createHttpTry } from '../retry/http-try.ts';
import type { Embedded, Embedder } from './embedder.ts';

/** The largest answer: 64 vectors of 4,096 numbers with 20 digits have 5.3 MB. */
const MAX_ANSWER_BYTES = 16 * MIB;
/** The most numbers that a `halfvec` of Postgres holds. */
const MAX_DIMS = 16_000;

const Answer = z.object({
  data: z.array(
    z.object({ index: z.number().int().nonnegative(), embedding: z.array(z.number()).min(1).max(MAX_DIMS) }),
  ),
});

/** Creates a client of a server with OpenAI's `POST {url}/embeddings`. It tries once: a search has its words, and the index comes back. */
export function createHttpEmbedder(options: {
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | null;
  readonly deadlineMs: number;
}): Embedder {
  const { model, apiKey } = options;
  const url = `${options.url.replace(/\/+$/, '')}/embeddings`;
  const headers = {
    'content-type': 'application/json',
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  return {
    model,
    embed: async (texts, { deadlineMs = options.deadlineMs, signal: outer } = {}) => {
      const signal = outer ? AbortSignal.any([outer, abortAfter(deadlineMs)]) : abortAfter(deadlineMs);
      const http = createHttpTry({ signal, silenceMs: deadlineMs, secrets: apiKey === null ? [] : [apiKey] });
      try {
        const body = JSON.stringify({ model, input: texts, encoding_format: 'float' });
        const response = await http.fetch(url, { method: 'POST', headers, body });
        if (!response.ok) return toHttpFailure(http.failure());
        const bytes = await readBody(response, MAX_ANSWER_BYTES);
        const failed = toHttpFailure({ reason: 'cut', facts: { status: response.status } });
        return readVectors(bytes.toString('utf8'), texts.length) ?? failed;
      } catch {
        return toHttpFailure(http.failure());
      }
    },
  };
}

/** Reads the answer; null when it has not one vector of equal length for each text. */
function readVectors(text: string, count: number): Embedded | null {
  const parsed = Answer.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const byIndex = new Map(parsed.data.data.map(({ index, embedding }) => [index, embedding]));
  const vectors = Array.from({ length: count }, (_, index) => byIndex.get(index) ?? []);
  const dims = vectors[0]?.length ?? 0;
  if (dims === 0 || vectors.some(({ length }) => length !== dims)) return null;
  return { kind: 'embedded', dims, vectors: vectors.map(toUnit) };
}

/** A vector of zeros points nowhere, so it has no neighbors. */
function toUnit(vector: readonly number[]): readonly number[] | null {
  const length = Math.hypot(...vector);
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : null;
}
