import { createHash } from 'node:crypto';
import type { StreamTopic } from '@signalbox/contracts/conversation/topics';

/** Returns the stream key of one partition. The braces are a Redis Cluster hash tag, so that a partition lives on one node. */
export function getStreamKey(
  prefix: string,
  topic: StreamTopic,
  partition: number,
  branch: string | null = null,
): string {
  return `${prefix}{${[topic.name, ...(branch === null ? [] : [branch]), partition].join(':')}}:messages`;
}

export function listStreamKeys(
  prefix: string,
  topic: StreamTopic,
  partitions: number,
  branch: string | null = null,
): readonly string[] {
  return Array.from({ length: partitions }, (_, partition) => getStreamKey(prefix, topic, partition, branch));
}

/** Returns the partition of a key, the same in every process and release. */
export function getPartition(key: string, partitions: number): number {
  if (partitions === 1) return 0;
  return createHash('sha1').update(key).digest().readUInt32BE(0) % partitions;
}
