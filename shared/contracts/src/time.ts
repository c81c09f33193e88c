export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** Waits `ms` milliseconds, or less when the signal fires. Never throws. */
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

/** Waits `ms` milliseconds. Throws the reason of the signal as soon as it fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, signal);
  signal.throwIfAborted();
}

/**
 * Aborts after `ms`, as the timeout of `AbortSignal` does. That one is lost at the next garbage collection when `AbortSignal.any` is all that
 * holds it (Node 20), and the deadline with it; this one is held by its timer. It keeps no process alive.
 */
export function abortAfter(ms: number): AbortSignal {
  const end = new AbortController();
  setTimeout(() => end.abort(new DOMException(`it took longer than ${ms} ms`, 'TimeoutError')), ms).unref();
  return end.signal;
}

/** What the work gives; undefined when it takes longer than `ms`. It goes on then, and how it ends is nobody's concern any more. */
export async function withinMs<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  work.catch(() => undefined); // thrown by the race, or too late to matter
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** What the work gives. Throws the reason of the signal as soon as it fires, also where the work does not listen to it and goes on. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error); // every abort of ours has an error as its reason
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  work.catch(() => undefined); // thrown by the race, or too late to matter
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}

/** Exponential backoff with full jitter: between half and all of `baseMs * 2^attempt`, at most `maxMs`. */
export function backoffMs(attempt: number, baseMs: number, maxMs: number, random: () => number = Math.random): number {
  const ceiling = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (0.5 + random() / 2));
}
