import { z } from 'zod';
import { getChannel } from './chat-key.ts';

/** Wakes one person's lane. The inbox row in Postgres holds the content, so Redis holds no text. */
export const WakeUp = z.object({ userKey: z.string().min(1), traceId: z.string() });
export type WakeUp = z.infer<typeof WakeUp>;

/** A message of the outbound stream: `send` delivers one chat's outbox rows, `typing` shows activity there. */
export const DeliveryRequest = z.object({
  kind: z.enum(['send', 'typing']),
  chatKey: z.string().min(1),
  traceId: z.string(),
});
export type DeliveryRequest = z.infer<typeof DeliveryRequest>;

export interface StreamTopic<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly schema: S;
  /** Entries with the same value go to the same partition, in order. */
  readonly partitionKey: (message: z.output<S>) => string;
  /** Entries of different branches go to different streams; each consumer reads the streams of its branches. */
  readonly branch?: (message: z.output<S>) => string;
  readonly group: string;
}

const topic = <S extends z.ZodType>(spec: StreamTopic<S>): StreamTopic<S> => spec;

export const INBOUND_TOPIC = topic({ name: 'in', schema: WakeUp, partitionKey: (m) => m.userKey, group: 'workers' });
/** Each channel has a branch: a gateway reads those of the channels that it opened, and a channel that is down delays no other. */
export const OUTBOUND_TOPIC = topic({
  name: 'out',
  schema: DeliveryRequest,
  partitionKey: (m) => m.chatKey,
  branch: (m) => getChannel(m.chatKey),
  group: 'gateways',
});

/** Redis pub/sub channel by which /stop reaches the worker that holds the lane; the message is the user key. */
export const STOP_CHANNEL = 'stop';
