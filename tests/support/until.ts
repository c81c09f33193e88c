import { setTimeout as delay } from 'node:timers/promises';

/** Waits until `check` answers something other than false, null or undefined, and returns it. Throws after `timeoutMs`. */
export async function until<T>(
  check: () => T | Promise<T>,
  timeoutMs = 15_000,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== false && value !== null && value !== undefined) {
      return value as Exclude<T, false | null | undefined>; // the line above excludes exactly these
    }
    if (Date.now() > deadline) throw new Error(`still not true after ${timeoutMs} ms: ${check.toString()}`);
    await delay(20);
  }
}
