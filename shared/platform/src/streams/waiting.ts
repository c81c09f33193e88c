import type { StreamTopic } from '@signalbox/contracts/conversation/topics';
import type { Figure, FigureKinds } from '../figures.ts';
import type { Redis } from '../redis.ts';
import { listStreamKeys } from './keys.ts';

export const STREAM_FIGURES: FigureKinds = {
  stream_lag: { help: 'Wake-ups that no process has read. Each reader exports it: use max().', labels: ['stream'] },
  stream_pending: { help: 'Wake-ups that were read and not acknowledged: use max().', labels: ['stream'] },
};

interface StreamPlace {
  readonly prefix: string;
  readonly topic: StreamTopic;
  readonly partitions: number;
  readonly branch?: string;
}

/** Reads how many entries of a stream wait, over all of its partitions. Throws when Redis does not answer. */
export async function readStreamFigures(redis: Redis, place: StreamPlace): Promise<readonly Figure[]> {
  const { prefix, topic, partitions, branch } = place;
  const keys = listStreamKeys(prefix, topic, partitions, branch ?? null);
  const counts = await Promise.all(keys.map((key) => countEntries(redis, key, topic.group)));
  const labels = { stream: [topic.name, ...(branch === undefined ? [] : [branch])].join(':') };
  const sum = (of: (count: (typeof counts)[number]) => number): number => counts.reduce((all, one) => all + of(one), 0);
  return [
    { name: 'stream_lag', labels, value: sum(({ all, pending }) => Math.max(0, all - pending)) },
    { name: 'stream_pending', labels, value: sum(({ pending }) => pending) },
  ];
}

/** Acknowledged entries are deleted. So what is in a stream and not pending was not read, also where Redis knows no lag. */
async function countEntries(redis: Redis, key: string, group: string): Promise<{ all: number; pending: number }> {
  const all = await redis.xlen(key);
  const pending = all === 0 ? [0] : await redis.xpending(key, group);
  return { all, pending: Number(pending[0]) };
}
