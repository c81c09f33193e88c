import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

type Labels = Readonly<Record<string, string>>;

/** The value of one series of a metric. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export interface CounterMetric {
  /** Increases the counter by one, or by `amount`. */
  add(labels: Labels, amount?: number): void;
}

export interface GaugeMetric {
  set(labels: Labels, value: number): void;
}

/** A Prometheus histogram of durations with labels. Takes milliseconds, exports seconds. */
export interface DurationMetric {
  observe(labels: Labels, durationMs: number): void;
}

/** What a metric may have besides its name and labels. */
export interface MetricOptions {
  /** Series that are exported as 0 from the start, so that `rate()` sees the first event. */
  readonly series?: readonly Labels[];
  /** Returns exactly the series to export, at each scrape. Without any, the metric is absent. Must settle within the time of a scrape. */
  readonly collect?: () => readonly Sample[] | Promise<readonly Sample[]>;
}

/** Registers a counter. The name ends in `_total`. */
export function createCounter(
  registry: Registry,
  name: string,
  help: string,
  labels: readonly string[],
  { series = [], collect }: MetricOptions = {},
): CounterMetric {
  const own = { name, help, labelNames: [...labels], registers: [registry] };
  const counter: Counter<string> = new Counter(
    collect ? { ...own, collect: async () => replace(await collect()) } : own,
  );
  const add: CounterMetric['add'] = (values, amount = 1) => counter.inc({ ...values }, amount);
  const replace = (samples: readonly Sample[]): void => {
    empty(counter, labels);
    for (const sample of samples) add(sample.labels, sample.value);
  };
  for (const one of series) add(one, 0);
  return { add };
}

/** Registers a gauge, which exports the last value that was set. */
export function createGauge(
  registry: Registry,
  name: string,
  help: string,
  labels: readonly string[],
  { series = [], collect }: MetricOptions = {},
): GaugeMetric {
  const own = { name, help, labelNames: [...labels], registers: [registry] };
  const gauge: Gauge<string> = new Gauge(collect ? { ...own, collect: async () => replace(await collect()) } : own);
  const set: GaugeMetric['set'] = (values, value) => gauge.set({ ...values }, value);
  const replace = (samples: readonly Sample[]): void => {
    empty(gauge, labels);
    for (const sample of samples) set(sample.labels, sample.value);
  };
  for (const one of series) set(one, 0);
  return { set };
}

/** Builds every combination of these label values, for `series`. */
export function listSeries(values: Readonly<Record<string, readonly string[]>>): readonly Labels[] {
  return Object.entries(values).reduce<readonly Labels[]>(
    (made, [label, all]) => made.flatMap((one) => all.map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
}

/** A metric without labels comes back as 0 after a reset, so its series is removed too. */
function empty(metric: Counter | Gauge, labels: readonly string[]): void {
  metric.reset();
  if (labels.length === 0) metric.remove();
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
