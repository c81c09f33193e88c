import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { totalmem } from 'node:os';

/** Number of entries that may compute even when the process is busy. */
const MIN_RUNNING = 4;
/** Event loop utilization above which new work would only slow down running work, heartbeats included. */
const MAX_UTILIZATION = 0.85;
/** Milliseconds per measurement of the event loop: a single turn can fill a shorter time. */
const MEASURE_MS = 50;
/** Shares of the memory: what waiting work may fill, and what must never be exceeded by work that starts. */
const [PLANNED, FULL] = [0.75, 0.9];

export interface RoomOptions {
  /** Maximum entries that run at once. */
  readonly slots: () => number;
  /** Number of running entries that wait for something outside, such as a model, and compute nothing. */
  readonly waiting: () => number;
}

/**
 * Creates a function that returns how many more entries may be started. Work that waits costs only memory. A few entries may always
 * compute, and while the processor is idle each measurement doubles what runs. So work that computes starts a few at a time, and the first
 * finishes soon and frees its memory.
 */
export function createRoom({ slots, waiting }: RoomOptions): (running: number) => number {
  let lastUtilization = performance.eventLoopUtilization();
  let lastAt = performance.now();
  let isBusy = false;
  return (running) => {
    const isMeasured = performance.now() - lastAt >= MEASURE_MS;
    if (isMeasured) {
      const utilization = performance.eventLoopUtilization();
      isBusy = performance.eventLoopUtilization(utilization, lastUtilization).utilization > MAX_UTILIZATION;
      [lastUtilization, lastAt] = [utilization, performance.now()];
    }
    const free = slots() - running;
    if (free <= 0) return 0;
    const mayCompute = MIN_RUNNING - Math.max(0, running - waiting());
    const doubled = isMeasured && !isBusy ? running : 0;
    return Math.min(free, Math.max(mayCompute, doubled, 0));
  };
}

/**
 * Creates a function that returns how many entries of `bytesEach` the memory of this process holds: its heap, or the limit of its container
 * if that is smaller. While the memory is nearly full, only a few entries run; their work makes the collector free what is garbage.
 */
export function createMemoryRoom(bytesEach: number): () => number {
  const heap = getHeapStatistics();
  const machine = totalmem();
  const container = Math.min(process.constrainedMemory() || machine, machine);
  const inContainer = Math.floor((PLANNED * container - process.memoryUsage.rss()) / bytesEach);
  const inHeap = Math.floor((PLANNED * heap.heap_size_limit - heap.used_heap_size) / bytesEach);
  const most = Math.max(MIN_RUNNING, Math.min(inHeap, inContainer));
  let lookedAt = performance.now();
  let isFull = false;
  return () => {
    if (performance.now() - lookedAt >= MEASURE_MS) {
      isFull =
        getHeapStatistics().used_heap_size > FULL * heap.heap_size_limit ||
        process.memoryUsage.rss() > FULL * container;
      lookedAt = performance.now();
    }
    return isFull ? MIN_RUNNING : most;
  };
}
