import { performance } from 'node:perf_hooks';

/** So many may always run: what waits for others, as a turn for its model, must not keep a processor that has time idle. */
const ALWAYS = 4;
/** A busier event loop has no time for more. Above it, what is begun only makes everything that runs slower, beats included. */
const BUSY = 0.85;
/** Shorter spells say nothing: one answer that is worked on fills them. */
export const SPELL_MS = 50;

/**
 * How much more may be begun now. Work that waits for others fills all slots within a few spells; work that computes is begun a few
 * pieces at a time, so that the first is finished soon and what it holds is freed, instead of all of it at the end.
 */
export function createRoom(slots: number): (running: number) => number {
  let since = performance.eventLoopUtilization();
  let at = performance.now();
  let isBusy = false;
  return (running) => {
    if (running >= slots) return 0;
    const isSpellOver = performance.now() - at >= SPELL_MS;
    if (isSpellOver) {
      const now = performance.eventLoopUtilization();
      isBusy = performance.eventLoopUtilization(now, since).utilization > BUSY;
      [since, at] = [now, performance.now()];
    }
    if (running < ALWAYS) return Math.min(slots, ALWAYS) - running;
    return isSpellOver && !isBusy ? Math.min(slots - running, running) : 0;
  };
}
