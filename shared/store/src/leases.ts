import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';
import type { Queryable } from './pool.ts';
import { listValues, sql } from './sql.ts';

interface Lease {
  /** Called when the lease is lost; from then on nothing may be written with its epoch. */
  readonly lost: () => void;
}

type Held<L> = ReadonlyMap<string, L>;

export interface LeasesOptions<L> {
  /** Name of what is leased, for log lines. */
  readonly name: string;
  readonly everyMs: number;
  readonly log: Log;
  /** Extends these leases in one statement. Returns the keys that another process has claimed meanwhile. */
  readonly heartbeat: (held: Held<L>) => Promise<readonly string[]>;
  /** Time without extension after which a lease is lost. When missing, leases survive an outage, in which nobody can claim them. */
  readonly leaseMs?: number;
}

/**
 * Leases that this process holds, by key. A process claims a row with a new, higher epoch. Each write carries the epoch, and the database
 * ignores writes with an older one. A heartbeat extends the leases. When a holder sends none for the length of a lease, another process
 * may claim the row; a sweeper finds rows that nobody claims.
 */
export class Leases<L extends Lease> implements Closable {
  readonly #options: LeasesOptions<L>;
  readonly #held = new Map<string, L>();
  #extendedAt = performance.now();
  readonly #loop: Closable;

  constructor(options: LeasesOptions<L>) {
    this.#options = options;
    this.#loop = startLoop({ ...options, step: () => this.heartbeat() });
  }

  get size(): number {
    return this.#held.size;
  }

  get(key: string): L | undefined {
    return this.#held.get(key);
  }

  /** True when no heartbeat succeeded for `ms`, because this process is too busy or the database does not answer. */
  isLate(ms: number): boolean {
    return performance.now() - this.#extendedAt > ms;
  }

  values(): readonly L[] {
    return [...this.#held.values()];
  }

  /** Holds a lease until the returned function is called. That function ignores a lease that was claimed again meanwhile. */
  hold(key: string, lease: L): () => void {
    this.#held.set(key, lease);
    return () => {
      if (this.#held.get(key) === lease) this.#held.delete(key);
    };
  }

  /** Extends all held leases now. */
  async heartbeat(): Promise<void> {
    const { heartbeat, leaseMs = Number.POSITIVE_INFINITY } = this.#options;
    const extending = new Map(this.#held);
    try {
      if (extending.size > 0) for (const key of await heartbeat(extending)) this.#lose(key, extending);
      this.#extendedAt = performance.now();
    } catch (error) {
      if (performance.now() - this.#extendedAt > leaseMs)
        for (const key of extending.keys()) this.#lose(key, extending);
      throw error;
    }
  }

  /** Stops the heartbeat; the held leases then run out. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  /** Removes a lost lease, unless it ended or was claimed again during the heartbeat. */
  #lose(key: string, extending: Held<L>): void {
    const lease = this.#held.get(key);
    if (lease !== undefined && lease === extending.get(key)) lease.lost();
  }
}

/** Extends leases of lanes or chats by `leaseMs` in one round trip. Returns the keys with another holder or a higher epoch. */
export function extendLeases(
  db: Queryable,
  heartbeat: 'lane_beat' | 'chat_beat',
  { holder, leaseMs }: { readonly holder: string; readonly leaseMs: number },
  held: Held<{ readonly epoch: string }>,
): Promise<readonly string[]> {
  const epochs = [...held.values()].map(({ epoch }) => epoch);
  const extend = heartbeat === 'lane_beat' ? sql`lane_beat` : sql`chat_beat`;
  return listValues<string>(db, heartbeat)`select ${extend}(${holder}, ${[...held.keys()]}, ${epochs}, ${leaseMs})`;
}
