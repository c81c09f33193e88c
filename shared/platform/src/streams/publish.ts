import type { z } from 'zod';
import type { Topic } from '@signalbox/contracts/conversation/topics';
import type { Log } from '../log.ts';
import type { Redis } from '../redis.ts';
import { partitionOf, streamKey, streamKeys } from './keys.ts';

export interface Publisher {
  /**
   * Appends messages to their partitions, in one round trip. Throws when Redis does not take them: what matters is in
   * Postgres by then, and a sweeper announces it again, so a caller may log the failure and go on.
   */
  publish<S extends z.ZodType>(topic: Topic<S>, messages: readonly z.output<S>[]): Promise<void>;
}

/** Publishes what is committed: what Redis does not take now, the sweepers publish. */
export async function publishStored<S extends z.ZodType>(
  { publisher, log }: { readonly publisher: Publisher; readonly log: Pick<Log, 'warn'> },
  topic: Topic<S>,
  messages: readonly z.output<S>[],
): Promise<void> {
  const ignore = (error: unknown): void => log.warn('not published; the sweepers publish it', { error });
  await publisher.publish(topic, messages).catch(ignore);
}

/** A publisher that can say how far behind those are who read. */
export interface CountingPublisher extends Publisher {
  /** How many messages of a topic are not handled yet. */
  waiting(topic: Topic<z.ZodType>): Promise<number>;
}

export function createPublisher(options: {
  readonly redis: Redis;
  readonly prefix: string;
  readonly partitions: number;
}): CountingPublisher {
  const { redis, prefix, partitions } = options;
  return {
    publish: async (topic, messages) => {
      if (messages.length === 0) return;
      const pipeline = redis.pipeline();
      for (const message of messages) {
        const partition = partitionOf(topic.partitionKey(message), partitions);
        const branch = topic.branch?.(message) ?? null;
        pipeline.xadd(streamKey(prefix, topic, partition, branch), '*', 'data', JSON.stringify(message));
      }
      const results = (await pipeline.exec()) ?? [];
      const failed = results.find(([error]) => error)?.[0];
      if (failed) throw failed;
    },
    waiting: async (topic) => {
      // Entries are deleted when they are acknowledged, so what is there is what waits.
      const lengths = await Promise.all(streamKeys(prefix, topic, partitions).map((key) => redis.xlen(key)));
      return lengths.reduce((sum, length) => sum + length, 0);
    },
  };
}
