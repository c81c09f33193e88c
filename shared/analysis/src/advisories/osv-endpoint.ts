import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { abortAfter } from '@signalbox/contracts/time';
import { parseJson } from '@signalbox/contracts/system-error';
import type { AdvisorySource, AdvisoryHit, PackageVersion } from '../advisory-source.ts';
import { AdvisoryId, toAdvisoryHit, readOsvRecord, type OsvRecord } from './osv-record.ts';

/** Maximum queries per request: https://google.github.io/osv.dev/post-v1-querybatch/ */
const BATCH = 1_000;
/** Maximum records per scan. A server that returns more is not trusted. */
const MAX_RECORDS = 2_000;
const ANSWER_LIMIT_BYTES = 20_000_000;
const READERS = 8;

const BatchAnswer = z.object({
  results: z.array(z.object({ vulns: z.array(z.object({ id: AdvisoryId })).default([]) }).nullable()),
});

export interface EndpointOptions {
  /** Time limit of one request. */
  readonly timeoutMs?: number;
  /** Time limit of all requests of a scan. */
  readonly deadlineMs?: number;
  /** Pause before a retry; it doubles each time. */
  readonly pauseMs?: number;
}

/**
 * Queries a server with the API of https://api.osv.dev. The server learns only package names and versions. Failed requests are retried;
 * without an answer the result is `unavailable`.
 */
export function openOsvEndpoint(address: string, options: EndpointOptions = {}): AdvisorySource {
  const { timeoutMs = 10_000, deadlineMs = 60_000, pauseMs = 500 } = options;
  const base = address.replace(/\/+$/, '');
  return {
    describe: () => new URL(base).host,
    find: async (packages) => {
      const deadline = abortAfter(deadlineMs);
      const ask = (path: string, body?: string): Promise<string> =>
        request(base + path, { body, timeoutMs, pauseMs, deadline });
      try {
        return { outcome: 'answered', hits: await findHits(packages, ask) };
      } catch (error) {
        return { outcome: 'unavailable', reason: getReason(error, deadline) };
      }
    },
  };
}

type Ask = (path: string, body?: string) => Promise<string>;

async function findHits(packages: readonly PackageVersion[], ask: Ask): Promise<readonly AdvisoryHit[]> {
  const named: { readonly one: PackageVersion; readonly id: string }[] = [];
  for (let at = 0; at < packages.length; at += BATCH) {
    const batch = packages.slice(at, at + BATCH);
    const queries = batch.map(({ ecosystem, name, version }) => ({ package: { ecosystem, name }, version }));
    const answer = BatchAnswer.safeParse(parseJson(await ask('/v1/querybatch', JSON.stringify({ queries }))));
    if (!answer.success || answer.data.results.length !== batch.length) throw new Error('it answers in another form');
    for (const [index, one] of batch.entries())
      for (const { id } of answer.data.results[index]?.vulns ?? []) named.push({ one, id });
  }
  const ids = [...new Set(named.map(({ id }) => id))];
  if (ids.length > MAX_RECORDS) throw new Error('it names too many records');
  const records = new Map<string, OsvRecord | null>();
  const read = async (): Promise<void> => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop())
      records.set(id, readOsvRecord(await ask(`/v1/vulns/${encodeURIComponent(id)}`)));
  };
  await Promise.all(Array.from({ length: READERS }, read));
  return named.flatMap(({ one, id }) => {
    const record = records.get(id);
    if (!record) throw new Error('it answers in another form');
    // The server's answer is only a hint; the record decides whether a package is affected.
    return toAdvisoryHit(record, one) ?? [];
  });
}

const TRIES = 3;

async function request(
  address: string,
  options: {
    readonly body: string | undefined;
    readonly timeoutMs: number;
    readonly pauseMs: number;
    readonly deadline: AbortSignal;
  },
): Promise<string> {
  const { body, timeoutMs, pauseMs, deadline } = options;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await once(address, body, AbortSignal.any([deadline, abortAfter(timeoutMs)]));
    if (typeof outcome === 'string') return outcome;
    if (attempt === TRIES || !outcome.isPassing || deadline.aborted) throw new Error(outcome.reason);
    await wait(pauseMs * 2 ** (attempt - 1), undefined, { signal: deadline });
  }
}

async function once(
  address: string,
  body: string | undefined,
  signal: AbortSignal,
): Promise<string | { readonly reason: string; readonly isPassing: boolean }> {
  try {
    const response = await fetch(address, {
      signal,
      redirect: 'error', // A redirect would send package names to a server that is not configured.
      ...(body === undefined ? {} : { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return { reason: `it answers ${response.status}`, isPassing: response.status === 429 || response.status >= 500 };
    }
    return await readText(response);
  } catch (error) {
    if (error instanceof TooLarge) return { reason: error.message, isPassing: false };
    return { reason: signal.aborted ? 'it does not answer in time' : 'it cannot be reached', isPassing: true };
  }
}

class TooLarge extends Error {
  constructor() {
    super('its answer is too large');
  }
}

async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    const bytes: Uint8Array = piece;
    size += bytes.length;
    if (size > ANSWER_LIMIT_BYTES) throw new TooLarge();
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function getReason(error: unknown, deadline: AbortSignal): string {
  if (deadline.aborted) return 'it does not answer in time';
  return error instanceof Error ? error.message : 'it cannot be reached';
}
