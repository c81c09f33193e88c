import type { z } from 'zod';
import type { Topic } from '@signalbox/contracts/conversation/topics';
import { background, type Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { closeRedis, openRedis, type Redis } from '../redis.ts';
import { backoffMs, sleep, untilAborted, withinMs } from '@signalbox/contracts/time';
import { parseJson } from '@signalbox/contracts/system-error';
import { streamKeys } from './keys.ts';
import { createRoom, SPELL_MS } from './room.ts';

/*
 * The life of one entry:
 *   read (XREADGROUP, pending) → handled (its lane has answered) → XACK + XDEL → its work goes on in a slot
 *   unreadable                 → onUnreadable (dead letter)      → XACK + XDEL
 *   consumer died before that  → XAUTOCLAIM by another consumer  → as above
 * Entries are only wake-ups: handling one twice, or losing one, is repaired by lanes and sweepers in Postgres.
 */

/** How long one XREADGROUP waits. Short enough for a stop to be quick and a dead connection to be noticed. */
const BLOCK_MS = 2_000;
/** A blocked read can stay silent after a reconnect: past this the connection is replaced. */
const WATCHDOG_MS = BLOCK_MS + 5_000;
/** An entry that stayed unacknowledged this long belongs to a consumer that died between reading and handling. */
const CLAIM_IDLE_MS = 15_000;

export interface Consumer extends Closable {
  /** False while reads fail. */
  healthy(): boolean;
}

export interface ConsumerOptions<S extends z.ZodType> {
  readonly topic: Topic<S>;
  /** Which branch of the topic to read, when it has any. */
  readonly branch?: string;
  readonly redisUrl: string;
  readonly prefix: string;
  readonly partitions: number;
  /** A stable name (a slot such as worker-1), so that restarts do not grow the group's list of consumers. */
  readonly consumer: string;
  /** How many pieces of work may run at once, as far as the process has time for them: see room.ts. */
  readonly slots: number;
  readonly log: Log;
  /** Resolves once the entry may be acknowledged; `work` keeps a slot until it settles. A throw leaves the entry pending for a later claim. */
  readonly handle: (message: z.output<S>) => Promise<{ readonly work: Promise<void> }>;
  readonly onUnreadable: (entryId: string, raw: string, detail: string) => Promise<void>;
  /** How long an entry may stay unacknowledged until another consumer takes it. */
  readonly claimIdleMs?: number;
  /** How long `close` waits for running work. */
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
  /** Blocks while it reads, so it is a connection of its own. */
  #reader: Redis;
  #groupsExist = false;
  /** How many more entries may be taken, given how many are at work. */
  readonly #room: (running: number) => number;
  readonly #running = new Set<Promise<void>>();
  /** Wakes the read loop, which waits for a slot. */
  #slotFreed: (() => void) | undefined;
  readonly #stop = new AbortController();
  readonly #loops: Promise<unknown>;

  constructor(options: ConsumerOptions<S>) {
    this.#options = options;
    this.#keys = streamKeys(options.prefix, options.topic, options.partitions, options.branch);
    this.#claimIdleMs = options.claimIdleMs ?? CLAIM_IDLE_MS;
    this.#commands = openRedis(options.redisUrl, options.log);
    this.#reader = this.#openReader();
    this.#room = createRoom(options.slots);
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
    await withinMs(Promise.allSettled(this.#running), this.#options.drainMs ?? 8_000);
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
      // The client would queue a command without a connection for ever, and no one would see it.
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
        await sleep(backoffMs(failures, 50, 2_000), signal);
      }
    }
  }

  async #read(count: number): Promise<void> {
    const { topic, consumer } = this.#options;
    const from = this.#keys.map(() => '>');
    const words = ['GROUP', topic.group, consumer, 'COUNT', count, 'BLOCK', BLOCK_MS, 'STREAMS'] as const;
    const reply = this.#reader.xreadgroup(...words, ...this.#keys, ...from);
    // A blocked read may never settle by itself.
    const entries = await withinMs(untilAborted(reply, this.#stop.signal), WATCHDOG_MS);
    if (entries === undefined) throw new SilentConnection(`no answer in ${WATCHDOG_MS} ms`);
    for (const [key, list] of (entries ?? []) as [string, Entry[]][]) this.#takeAll(key, list); // the shape of XREADGROUP's reply
  }

  #recover(error: unknown, failures: number): void {
    this.#groupsExist = false; // they may be what is missing
    if (failures === 1) this.#options.log.warn('reading a stream failed', { topic: this.#options.topic.name, error });
    if (!(error instanceof SilentConnection)) return;
    this.#reader.disconnect();
    this.#reader = this.#openReader();
  }

  /** Returns when a piece of work ends, or when the process may have time for more of them. */
  async #waitForRoom(): Promise<void> {
    const over = new AbortController();
    this.#slotFreed = (): void => over.abort();
    await sleep(this.#running.size < this.#options.slots ? SPELL_MS : BLOCK_MS, over.signal);
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

  /** Handles entries side by side. Each occupies a slot from its first step on; a failure is logged and leaves the entry pending. */
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
    // In this order: what is left when only the first arrives is not read again.
    await Promise.all([this.#commands.xack(key, this.#options.topic.group, id), this.#commands.xdel(key, id)]);
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => {
      this.#running.delete(work);
      this.#slotFreed?.();
    });
    this.#running.add(work);
    background(this.#options.log, `${this.#options.topic.name} work`, tracked);
  }
}

class SilentConnection extends Error {}

/** From the first entry on (`0`): what was published before the group existed, or before it was lost, is read too. */
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
