import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface CounterMetric {
  /** Increases the counter by one, or by `amount`. */
  add(labels: Readonly<Record<string, string>>, amount?: number): void;
}

export interface GaugeMetric {
  set(labels: Readonly<Record<string, string>>, value: number): void;
}

/** A Prometheus histogram of durations with labels. Takes milliseconds, exports seconds. */
export interface DurationMetric {
  observe(labels: Readonly<Record<string, string>>, durationMs: number): void;
}

/** Registers a counter. The name ends in `_total`. */
export function createCounter(
  registry: Registry,
  name: string,
  help: string,
  labels: readonly string[],
): CounterMetric {
  const counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] });
  return { add: (values, amount = 1) => counter.inc({ ...values }, amount) };
}

/** Registers a gauge, which exports the last value that was set. */
export function createGauge(registry: Registry, name: string, help: string, labels: readonly string[]): GaugeMetric {
  const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] });
  return { set: (values, value) => gauge.set({ ...values }, value) };
}

/** Upper bounds of the histogram's buckets, from a local round trip (5 ms) to a minute. */
const BUCKETS_SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Registers a histogram of durations. The name ends in `_seconds`. */
export function createHistogram(
  registry: Registry,
  name: string,
  help: string,
  labels: readonly string[],
): DurationMetric {
  const histogram = new Histogram({
    name,
    help,
    labelNames: [...labels],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  return { observe: (values, durationMs) => histogram.observe({ ...values }, durationMs / 1_000) };
}
