import { setTimeout as delay } from 'node:timers/promises';

/** A wait of milliseconds is looked at often, and one of seconds seldom: each look costs what is waited for its processor. */
const SHORTEST_MS = 10;
const LONGEST_MS = 150;

/** Waits until `check` answers something other than false, null or undefined, and returns it. Throws after `timeoutMs`. */
export async function until<T>(
  check: () => T | Promise<T>,
  timeoutMs = 15_000,
): Promise<Exclude<T, false | null | undefined>> {
  const begin = Date.now();
  for (;;) {
    const value = await check();
    if (value !== false && value !== null && value !== undefined) {
      return value as Exclude<T, false | null | undefined>; // the line above excludes exactly these
    }
    const waitedMs = Date.now() - begin;
    if (waitedMs > timeoutMs) throw new Error(`still not true after ${timeoutMs} ms: ${check.toString()}`);
    await delay(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, waitedMs / 10)));
  }
}

/** Waits until what `look` answers fulfils `holds`, and returns it. Throws after `timeoutMs` with the last value seen. */
export async function eventually<T>(
  look: () => Promise<T>,
  holds: (value: T) => boolean,
  timeoutMs = 20_000,
): Promise<T> {
  let last: T | undefined;
  try {
    await until(async () => holds((last = await look())), timeoutMs);
  } catch (error) {
    throw new Error(`not so after ${timeoutMs} ms; the last value was ${JSON.stringify(last)}`, { cause: error });
  }
  return last as T; // look has run at least once
}
