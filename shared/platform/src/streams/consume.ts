import type { z } from 'zod';
import type { Topic } from '@signalbox/contracts/conversation/topics';
import { background, type Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { closeRedis, openRedis, type Redis } from '../redis.ts';
import { backoffMs, sleep } from '@signalbox/contracts/time';
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

/** Reads a topic in a consumer group. `close` stops reading, then waits for the work that runs. */
export function startConsumer<S extends z.ZodType>(options: ConsumerOptions<S>): Consumer {
  const { topic, log, slots } = options;
  const keys = streamKeys(options.prefix, topic, options.partitions);
  const commands = openRedis(options.redisUrl, log);
  let reader = openRedis(options.redisUrl, log, 0);
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  let freed: (() => void) | undefined;
  let failures = 0;
  let groupsExist = false;
  const claimIdleMs = options.claimIdleMs ?? CLAIM_IDLE_MS;

  const room = createRoom(slots);
  const own = (work: Promise<void>): void => {
    running.add(work);
    background(
      log,
      `${topic.name} work`,
      work.finally(() => {
        running.delete(work);
        freed?.();
      }),
    );
  };

  const acknowledge = async (key: string, id: string): Promise<void> => {
    await commands.multi().xack(key, topic.group, id).xdel(key, id).exec();
  };

  const take = async (key: string, [id, fields]: Entry): Promise<void> => {
    const raw = fields?.[1] ?? '';
    const message = parse(topic.schema, raw);
    if (!message.success) {
      await options.onUnreadable(id, raw, message.detail);
      await acknowledge(key, id);
      return;
    }
    const { work } = await options.handle(message.data);
    own(work);
    await acknowledge(key, id);
  };

  /** Handles entries side by side; each failure is logged and its entry stays pending. The slot is held from the first step on. */
  const takeAll = (key: string, entries: readonly Entry[]): void => {
    for (const entry of entries) {
      own(
        take(key, entry).catch((error: unknown) =>
          log.warn('entry not handled, left pending', { stream: key, entry: entry[0], error }),
        ),
      );
    }
  };

  const read = async (count: number): Promise<void> => {
    const ids = keys.map(() => '>');
    const reply = reader.xreadgroup(
      ...([
        'GROUP',
        topic.group,
        options.consumer,
        'COUNT',
        count,
        'BLOCK',
        BLOCK_MS,
        'STREAMS',
        ...keys,
        ...ids,
      ] as const),
    );
    const entries = (await withinOrAborted(reply, WATCHDOG_MS, stop.signal)) ?? [];
    for (const [key, list] of entries as [string, Entry[]][]) takeAll(key, list);
  };

  /** Until a piece of work has ended, or the process may have got time for more of them. */
  const roomMade = async (): Promise<void> => {
    const over = new AbortController();
    freed = (): void => over.abort();
    await sleep(running.size < slots ? SPELL_MS : BLOCK_MS, over.signal);
  };

  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const count = room(running.size);
      if (count <= 0) {
        await roomMade();
        continue;
      }
      // A command that is sent without a connection would wait in the client for ever, and for nobody to see.
      if (reader.status !== 'ready') {
        groupsExist = false;
        await sleep(20, stop.signal);
        continue;
      }
      try {
        if (!groupsExist) await createGroups(commands, keys, topic.group);
        groupsExist = true;
        await read(count);
        failures = 0;
      } catch (error) {
        if (stop.signal.aborted) break;
        failures += 1;
        groupsExist = false; // they may be what is missing
        if (failures === 1) log.warn('reading a stream failed', { topic: topic.name, error });
        if (error instanceof SilentConnection) {
          reader.disconnect();
          reader = openRedis(options.redisUrl, log, 0);
        }
        await sleep(backoffMs(failures, 50, 2_000), stop.signal);
      }
    }
  };

  const claimLoop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleep(claimIdleMs / 3, stop.signal);
      for (const key of keys) {
        const count = room(running.size);
        if (stop.signal.aborted || count <= 0) break;
        try {
          const [, entries] = (await commands.xautoclaim(
            key,
            topic.group,
            options.consumer,
            claimIdleMs,
            '0',
            'COUNT',
            count,
          )) as [string, Entry[]];
          takeAll(key, entries);
        } catch (error) {
          log.debug('claiming entries failed', { stream: key, error });
        }
      }
    }
  };

  const loops = Promise.all([loop(), claimLoop()]);

  return {
    healthy: () => groupsExist && reader.status === 'ready',
    close: async () => {
      stop.abort();
      freed?.();
      reader.disconnect();
      await loops;
      await Promise.race([Promise.allSettled(running), sleep(options.drainMs ?? 8_000)]);
      await closeRedis(commands);
    },
  };
}

class SilentConnection extends Error {}

/** The reply, or a throw when it does not come in time or the signal fires: a blocked read may never settle by itself. */
async function withinOrAborted<T>(reply: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  reply.catch(() => undefined); // it may fail after nobody waits for it any more
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilentConnection(`no answer in ${ms} ms`)), ms);
    onAbort = (): void => reject(new Error('stopped'));
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([reply, over]);
  } finally {
    clearTimeout(timer);
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}

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
  try {
    const parsed = schema.safeParse(JSON.parse(raw));
    return parsed.success
      ? parsed
      : { success: false, detail: parsed.error.issues.map((issue) => issue.message).join('; ') };
  } catch {
    return { success: false, detail: 'not JSON' };
  }
}
