/** What one run of a load came to. */
export interface Sample {
  /** Milliseconds from a message to its answer, one per turn. */
  readonly latencies: readonly number[];
  readonly turnsPerSecond: number;
  /** CPU of all processes of the peer, its share of Postgres and Redis included, in milliseconds per turn. */
  readonly cpuPerTurn: number;
}

/** A figure over several rounds: its median, the lowest and the highest. */
export interface Figure {
  readonly median: number;
  readonly from: number;
  readonly to: number;
}

/** The value below which this share of the values lies; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The ratio of two peers, taken round by round: rounds are minutes apart, and the machine is not the same in each. */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Figure {
  const ratios = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  return { median: median(ratios), from: Math.min(...ratios), to: Math.max(...ratios) };
}

/** Three significant digits, which is more than a noisy machine can tell apart. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
