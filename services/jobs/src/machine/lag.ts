/** Each sample wakes the process. */
const SAMPLE_MS = 50;

/** Starts to measure how late this process runs its timers. The returned function ends it and returns the sum in milliseconds. */
export function startLagMeter(): () => number {
  let lateMs = 0;
  let due = performance.now() + SAMPLE_MS;
  const late = (): number => Math.max(0, performance.now() - due);
  const sample = (): void => {
    lateMs += late();
    due = performance.now() + SAMPLE_MS;
    timer = setTimeout(sample, SAMPLE_MS).unref();
  };
  let timer = setTimeout(sample, SAMPLE_MS).unref();
  return () => {
    clearTimeout(timer);
    return Math.round(lateMs + late());
  };
}
