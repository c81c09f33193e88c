import { setTimeout as delay } from 'node:timers/promises';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** Waits `ms` milliseconds, or less when the signal fires. Never throws. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  await delay(ms, undefined, signal ? { signal } : undefined).catch(() => undefined); // an abort is a normal end of the wait
}

/** Waits `ms` milliseconds. Throws the reason of the signal as soon as it fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, signal);
  signal.throwIfAborted();
}

/** Exponential backoff with full jitter: between half and all of `baseMs * 2^attempt`, at most `maxMs`. */
export function backoffMs(attempt: number, baseMs: number, maxMs: number, random: () => number = Math.random): number {
  const ceiling = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (0.5 + random() / 2));
}
