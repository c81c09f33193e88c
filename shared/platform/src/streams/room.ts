import { performance } from 'node:perf_hooks';

/** Entries that may run even when busy: work that waits, such as a turn for its model, must not leave the processor idle. */
const MIN_RUNNING = 4;
/** Event loop utilization above which new work would only slow down everything, heartbeats included. */
const MAX_UTILIZATION = 0.85;
/** Milliseconds per measurement: a single turn can fill a shorter one. */
export const MEASURE_MS = 50;

/**
 * Creates a function that returns how many more entries may be started. Work that waits fills all slots within a few
 * measurements; work that computes starts a few at a time, so that the first finishes soon and frees its memory.
 */
export function createRoom(slots: number): (running: number) => number {
  let lastUtilization = performance.eventLoopUtilization();
  let lastAt = performance.now();
  let isBusy = false;
  return (running) => {
    if (running >= slots) return 0;
    const isMeasured = performance.now() - lastAt >= MEASURE_MS;
    if (isMeasured) {
      const utilization = performance.eventLoopUtilization();
      isBusy = performance.eventLoopUtilization(utilization, lastUtilization).utilization > MAX_UTILIZATION;
      [lastUtilization, lastAt] = [utilization, performance.now()];
    }
    if (running < MIN_RUNNING) return Math.min(slots, MIN_RUNNING) - running;
    return isMeasured && !isBusy ? Math.min(slots - running, running) : 0;
  };
}
