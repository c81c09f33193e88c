import type { z } from 'zod';
import type { StreamTopic } from '@signalbox/contracts/conversation/topics';
import type { Log } from '../log.ts';
import type { Redis } from '../redis.ts';
import { getPartition, getStreamKey, listStreamKeys } from './keys.ts';

export interface Publisher {
  /**
   * Appends messages to their partitions in one round trip. Throws when Redis fails; the caller may log it and go on,
   * because the messages are stored in Postgres and a sweeper publishes them again.
   */
  publish<S extends z.ZodType>(topic: StreamTopic<S>, messages: readonly z.output<S>[]): Promise<void>;
}

/** Publishes messages that Postgres holds. Never throws: the sweepers publish what Redis does not take now. */
export async function publishStored<S extends z.ZodType>(
  { publisher, log }: { readonly publisher: Publisher; readonly log: Pick<Log, 'warn'> },
  topic: StreamTopic<S>,
  messages: readonly z.output<S>[],
): Promise<void> {
  const logFailure = (error: unknown): void => log.warn('not published; the sweepers publish it', { error });
  await publisher.publish(topic, messages).catch(logFailure);
}

/** A publisher that can count unhandled messages. */
export interface CountingPublisher extends Publisher {
  /** Number of messages of a topic that no consumer has handled yet. */
  waiting(topic: StreamTopic<z.ZodType>): Promise<number>;
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
        const partition = getPartition(topic.partitionKey(message), partitions);
        const branch = topic.branch?.(message) ?? null;
        pipeline.xadd(getStreamKey(prefix, topic, partition, branch), '*', 'data', JSON.stringify(message));
      }
      const results = (await pipeline.exec()) ?? [];
      const failed = results.find(([error]) => error)?.[0];
      if (failed) throw failed;
    },
    waiting: async (topic) => {
      // Acknowledged entries are deleted, so the length of a stream is what still waits.
      const lengths = await Promise.all(listStreamKeys(prefix, topic, partitions).map((key) => redis.xlen(key)));
      return lengths.reduce((sum, length) => sum + length, 0);
    },
  };
}
