import type { Closable } from './lifecycle.ts';
import type { Log } from './log.ts';
import { startLoop } from './loop.ts';

export interface LeasesOptions<L> {
  /** What is leased, for the log. */
  readonly name: string;
  readonly everyMs: number;
  readonly log: Log;
  /** Extends these leases, in one statement. Gives the keys of those that another process has by now. */
  readonly beat: (held: readonly L[]) => Promise<readonly string[]>;
  /** Told of each lease that was lost; nothing may be written under its epoch any more. */
  readonly onLost: (lease: L) => void;
  /** Leases that could not be extended for so long count as lost. Left out: as long as the store is away, nobody else can take them. */
  readonly leaseMs?: number;
}

/**
 * The leases of this process, by key. A process claims a row of the store under an epoch that is higher than any before. Each write names
 * its epoch, and the store ignores it once the row has a higher one. This process extends its leases with a heartbeat. When a holder sends
 * none for the length of a lease, another process may claim the row; the sweeper finds rows that no process asks for.
 */
export class Leases<L> implements Closable {
  readonly #options: LeasesOptions<L>;
  readonly #held = new Map<string, L>();
  #extendedAt = performance.now();
  readonly #loop: Closable;

  constructor(options: LeasesOptions<L>) {
    this.#options = options;
    this.#loop = startLoop({ ...options, step: () => this.beat() });
  }

  get size(): number {
    return this.#held.size;
  }

  get(key: string): L | undefined {
    return this.#held.get(key);
  }

  /** Whether nothing was extended for so long: this process has no time, or the store does not answer. */
  isLate(ms: number): boolean {
    return performance.now() - this.#extendedAt > ms;
  }

  values(): readonly L[] {
    return [...this.#held.values()];
  }

  /** Keeps a lease until the returned function is called; it may have been claimed and held anew by then, which stays. */
  hold(key: string, lease: L): () => void {
    this.#held.set(key, lease);
    return () => {
      if (this.#held.get(key) === lease) this.#held.delete(key);
    };
  }

  /** Extends all leases now. */
  async beat(): Promise<void> {
    const { beat, leaseMs = Number.POSITIVE_INFINITY } = this.#options;
    const asked = new Map(this.#held);
    try {
      if (asked.size > 0) for (const key of await beat([...asked.values()])) this.#lose(key, asked);
      this.#extendedAt = performance.now();
    } catch (error) {
      if (performance.now() - this.#extendedAt > leaseMs) for (const key of asked.keys()) this.#lose(key, asked);
      throw error;
    }
  }

  /** Beats no more. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  /** What has ended, or was claimed again, during a beat is not what the beat asked about. */
  #lose(key: string, asked: ReadonlyMap<string, L>): void {
    const lease = this.#held.get(key);
    if (lease !== undefined && lease === asked.get(key)) this.#options.onLost(lease);
  }
}
