import type { z } from 'zod';
import type { StreamTopic } from '@signalbox/contracts/conversation/topics';
import { runInBackground, type Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { closeRedis, openRedis, type Redis } from '../redis.ts';
import { computeBackoffMs, sleep, waitOrAbort, waitAtMost } from '@signalbox/contracts/time';
import { parseJson } from '@signalbox/contracts/system-error';
import { listStreamKeys } from './keys.ts';
import { createRoom, type RoomOptions } from './room.ts';

/*
 * The life of one entry:
 *   read (XREADGROUP, pending) → handled (its lane accepted it)  → XACK + XDEL, a moment later → its work goes on in a slot
 *   unreadable                 → onUnreadable (dead letter)      → XACK + XDEL
 *   consumer died before that  → XAUTOCLAIM by another consumer  → handled
 * Entries are only wake-ups: lanes and sweepers in Postgres repair an entry that is handled twice or lost.
 */

/** Time that one XREADGROUP blocks: short, so that stopping is quick and a dead connection is noticed. */
const BLOCK_MS = 2_000;
/** Time between looks for room: a turn that has asked its model makes room for the next one. */
const LOOK_MS = 10;
/** Time that handled entries wait for others, to be acknowledged together: under load a command serves many. */
const ACKNOWLEDGE_MS = 50;
/** Time after which the connection of a blocked read is replaced: the read can hang after a reconnect. */
const WATCHDOG_MS = BLOCK_MS + 5_000;
/** Time after which another consumer takes an unacknowledged entry: its consumer died before handling it. */
const CLAIM_IDLE_MS = 15_000;

export interface Consumer extends Closable {
  /** Returns false while reads from Redis fail. */
  healthy(): boolean;
}

export interface ConsumerOptions<S extends z.ZodType> extends RoomOptions {
  readonly topic: StreamTopic<S>;
  /** The branch of the topic to read, for topics with branches. */
  readonly branch?: string;
  readonly redisUrl: string;
  readonly prefix: string;
  readonly partitions: number;
  /** A stable name (such as worker-1), so that restarts do not add consumers to the group. */
  readonly consumer: string;
  readonly log: Log;
  /**
   * Resolves once the entry may be acknowledged; `work` occupies a slot until it settles. When it throws, the entry
   * stays pending and is claimed later.
   */
  readonly handle: (message: z.output<S>) => Promise<{ readonly work: Promise<void> }>;
  readonly onUnreadable: (entryId: string, raw: string, detail: string) => Promise<void>;
  /** After this many milliseconds without acknowledgment another consumer claims the entry. */
  readonly claimIdleMs?: number;
  /** Milliseconds that `close` waits for running work. */
  readonly drainMs?: number;
}

type Entry = readonly [id: string, fields: readonly string[] | null];

/** Reads a topic in a consumer group until it is closed: `close` stops reading, then waits for the work that runs. */
export function startConsumer<S extends z.ZodType>(options: ConsumerOptions<S>): Consumer {
  return new StreamConsumer(options);
}

class StreamConsumer<S extends z.ZodType> implements Consumer {
  readonly #options: ConsumerOptions<S>;
  readonly #keys: readonly string[];
  readonly #claimIdleMs: number;
  readonly #commands: Redis;
  /** The connection for reads, which block it. */
  #reader: Redis;
  #groupsExist = false;
  /** Returns how many more entries may start, given the number of running ones. */
  readonly #room: (running: number) => number;
  readonly #running = new Set<Promise<void>>();
  /** Ids of entries that are handled and not acknowledged yet, by stream. */
  #handled = new Map<string, string[]>();
  #acknowledging: Promise<void> | undefined;
  /** Wakes the read loop while it waits for a free slot. */
  #slotFreed: (() => void) | undefined;
  readonly #stop = new AbortController();
  readonly #loops: Promise<unknown>;

  constructor(options: ConsumerOptions<S>) {
    this.#options = options;
    this.#keys = listStreamKeys(options.prefix, options.topic, options.partitions, options.branch);
    this.#claimIdleMs = options.claimIdleMs ?? CLAIM_IDLE_MS;
    this.#commands = openRedis(options.redisUrl, options.log);
    this.#reader = this.#openReader();
    this.#room = createRoom(options);
    this.#loops = Promise.all([this.#readLoop(), this.#claimLoop()]);
  }

  healthy(): boolean {
    return this.#groupsExist && this.#reader.status === 'ready';
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#slotFreed?.();
    this.#reader.disconnect();
    await this.#loops;
    await waitAtMost(Promise.allSettled(this.#running), this.#options.drainMs ?? 8_000);
    await this.#acknowledging;
    await closeRedis(this.#commands);
  }

  #openReader(): Redis {
    return openRedis(this.#options.redisUrl, this.#options.log, 0);
  }

  async #readLoop(): Promise<void> {
    const { signal } = this.#stop;
    let failures = 0;
    while (!signal.aborted) {
      const count = this.#room(this.#running.size);
      if (count <= 0) {
        await this.#waitForRoom();
        continue;
      }
      // Without a connection the client would queue the command for ever, unnoticed.
      if (this.#reader.status !== 'ready') {
        this.#groupsExist = false;
        await sleep(20, signal);
        continue;
      }
      try {
        if (!this.#groupsExist) await createGroups(this.#commands, this.#keys, this.#options.topic.group);
        this.#groupsExist = true;
        await this.#read(count);
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        this.#recover(error, failures);
        await sleep(computeBackoffMs(failures, 50, 2_000), signal);
      }
    }
  }

  async #read(count: number): Promise<void> {
    const { topic, consumer } = this.#options;
    const from = this.#keys.map(() => '>');
    const words = ['GROUP', topic.group, consumer, 'COUNT', count, 'BLOCK', BLOCK_MS, 'STREAMS'] as const;
    const reply = this.#reader.xreadgroup(...words, ...this.#keys, ...from);
    // The deadline ends a blocked read that never settles.
    const entries = await waitAtMost(waitOrAbort(reply, this.#stop.signal), WATCHDOG_MS);
    if (entries === undefined) throw new SilentConnection(`no answer in ${WATCHDOG_MS} ms`);
    for (const [key, list] of (entries ?? []) as [string, Entry[]][]) this.#takeAll(key, list); // the shape of XREADGROUP's reply
  }

  #recover(error: unknown, failures: number): void {
    this.#groupsExist = false; // the read may have failed because a consumer group is missing
    if (failures === 1) this.#options.log.warn('reading a stream failed', { topic: this.#options.topic.name, error });
    if (!(error instanceof SilentConnection)) return;
    this.#reader.disconnect();
    this.#reader = this.#openReader();
  }

  /** Resolves when running work ends, or when more work may run. */
  async #waitForRoom(): Promise<void> {
    const freed = new AbortController();
    this.#slotFreed = (): void => freed.abort();
    await sleep(LOOK_MS, freed.signal);
    this.#slotFreed = undefined;
  }

  async #claimLoop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await sleep(this.#claimIdleMs / 3, this.#stop.signal);
      for (const key of this.#keys) {
        const count = this.#room(this.#running.size);
        if (this.#stop.signal.aborted || count <= 0) break;
        await this.#claim(key, count);
      }
    }
  }

  async #claim(key: string, count: number): Promise<void> {
    const { topic, consumer, log } = this.#options;
    try {
      const reply = await this.#commands.xautoclaim(key, topic.group, consumer, this.#claimIdleMs, '0', 'COUNT', count);
      this.#takeAll(key, reply[1] as Entry[]); // the shape of XAUTOCLAIM's reply
    } catch (error) {
      log.debug('claiming entries failed', { stream: key, error });
    }
  }

  /** Handles entries concurrently. Each occupies a slot at once; a failure is logged and leaves the entry pending. */
  #takeAll(key: string, entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#track(
        this.#take(key, entry).catch((error: unknown) =>
          this.#options.log.warn('entry not handled, left pending', { stream: key, entry: entry[0], error }),
        ),
      );
    }
  }

  async #take(key: string, [id, fields]: Entry): Promise<void> {
    const raw = fields?.[1] ?? '';
    const message = parse(this.#options.topic.schema, raw);
    if (message.success) this.#track((await this.#options.handle(message.data)).work);
    else await this.#options.onUnreadable(id, raw, message.detail);
    const handled = this.#handled.get(key);
    if (handled) handled.push(id);
    else this.#handled.set(key, [id]);
    this.#acknowledging ??= this.#acknowledgeSoon();
  }

  /** Acknowledges handled entries together. When this fails, whoever claims them handles them again. */
  async #acknowledgeSoon(): Promise<void> {
    while (this.#handled.size > 0) {
      await sleep(ACKNOWLEDGE_MS, this.#stop.signal);
      const handled = this.#handled;
      this.#handled = new Map();
      await this.#acknowledge(handled).catch((error: unknown) =>
        this.#options.log.warn('entries not acknowledged, left pending', { stream: this.#options.topic.name, error }),
      );
    }
    this.#acknowledging = undefined;
  }

  async #acknowledge(handled: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const pipeline = this.#commands.pipeline();
    // XACK comes first: an entry that is acknowledged but not deleted is never read again.
    for (const [key, ids] of handled) pipeline.xack(key, this.#options.topic.group, ...ids).xdel(key, ...ids);
    const failure = (await pipeline.exec())?.find(([error]) => error !== null)?.[0];
    if (failure) throw failure;
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => {
      this.#running.delete(work);
      this.#slotFreed?.();
    });
    this.#running.add(work);
    runInBackground(this.#options.log, `${this.#options.topic.name} work`, tracked);
  }
}

class SilentConnection extends Error {}

/** Groups start at the first entry (`0`), so that messages published before the group existed, or before it was lost, are read. */
async function createGroups(redis: Redis, keys: readonly string[], group: string): Promise<void> {
  for (const key of keys) {
    await redis.xgroup('CREATE', key, group, '0', 'MKSTREAM').catch((error: unknown) => {
      if (!String(error).includes('BUSYGROUP')) throw error;
    });
  }
}

function parse<S extends z.ZodType>(
  schema: S,
  raw: string,
): { success: true; data: z.output<S> } | { success: false; detail: string } {
  const json = parseJson(raw);
  if (json === undefined) return { success: false, detail: 'not JSON' };
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed;
  return { success: false, detail: parsed.error.issues.map((issue) => issue.message).join('; ') };
}
