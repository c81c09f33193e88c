import { AsyncLocalStorage } from 'node:async_hooks';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** Waits `ms` milliseconds, or until the signal aborts. Never throws. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}

/** Waits `ms` milliseconds. Throws the signal's reason when the signal aborts. */
export async function sleepOrThrow(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, signal);
  signal.throwIfAborted();
}

/** Runs a function in the async context of this module, which holds nothing. */
const runDetached = AsyncLocalStorage.snapshot();

/**
 * Returns a signal that aborts after `ms`. Its timer keeps nothing of the caller: a deadline of minutes would hold a whole turn. On Node 20, AbortSignal.timeout is garbage-collected when only `AbortSignal.any` refers to it;
 * this signal is held by its timer, which does not keep the process alive.
 */
export function abortAfter(ms: number): AbortSignal {
  const end = new AbortController();
  const abort = (): void => end.abort(new DOMException(`it took longer than ${ms} ms`, 'TimeoutError'));
  runDetached(() => setTimeout(abort, ms)).unref();
  return end.signal;
}

/** Returns the result of `work`, or undefined when it takes longer than `ms`. The work then continues, and its failure is ignored. */
export async function waitAtMost<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  work.catch(() => undefined); // The race has thrown this error, or it came too late
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Returns the result of `work`. Throws the signal's reason when the signal aborts, even if `work` ignores the signal and continues. */
export async function waitOrAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error); // Every abort in this product has an error as its reason
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  work.catch(() => undefined); // The race has thrown this error, or it came too late
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}

/** Computes an exponential backoff with jitter: between half and all of `baseMs * 2^attempt`, at most `maxMs`. */
export function computeBackoffMs(
  attempt: number,
  baseMs: number,
  maxMs: number,
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (0.5 + random() / 2));
}
