import { createHash } from 'node:crypto';
import type { Topic } from '@signalbox/contracts/conversation/topics';

/** The stream of one partition. The braces are a Redis Cluster hash tag: a partition lives on one node. */
export function streamKey(prefix: string, topic: Topic, partition: number, branch: string | null = null): string {
  return `${prefix}{${[topic.name, ...(branch === null ? [] : [branch]), partition].join(':')}}:messages`;
}

export function streamKeys(
  prefix: string,
  topic: Topic,
  partitions: number,
  branch: string | null = null,
): readonly string[] {
  return Array.from({ length: partitions }, (_, partition) => streamKey(prefix, topic, partition, branch));
}

/** Which partition a key belongs to: stable over processes and releases. */
export function partitionOf(key: string, partitions: number): number {
  if (partitions === 1) return 0;
  return createHash('sha1').update(key).digest().readUInt32BE(0) % partitions;
}
