import { z } from 'zod';
import { getChannel } from './chat-key.ts';

/** Wakes one person's lane. The inbox row in Postgres holds the message, so that no text is in Redis. */
export const WakeUp = z.object({ userKey: z.string().min(1), traceId: z.string() });
export type WakeUp = z.infer<typeof WakeUp>;

/** An entry of the outbound stream: `send` delivers the outbox rows of one chat, `typing` shows activity in the chat. */
export const DeliveryRequest = z.object({
  kind: z.enum(['send', 'typing']),
  chatKey: z.string().min(1),
  traceId: z.string(),
});
export type DeliveryRequest = z.infer<typeof DeliveryRequest>;

export interface StreamTopic<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly schema: S;
  /** Returns the partition key of an entry. Entries with equal keys go to the same partition, in order. */
  readonly partitionKey: (message: z.output<S>) => string;
  /** Returns the branch of an entry. Each branch has its own stream, and a consumer reads the streams of its branches. */
  readonly branch?: (message: z.output<S>) => string;
  readonly group: string;
}

const topic = <S extends z.ZodType>(spec: StreamTopic<S>): StreamTopic<S> => spec;

export const INBOUND_TOPIC = topic({ name: 'in', schema: WakeUp, partitionKey: (m) => m.userKey, group: 'workers' });
/** Messages to chats, in one branch per channel: a gateway reads the branches of its channels, and a failing channel delays no other. */
export const OUTBOUND_TOPIC = topic({
  name: 'out',
  schema: DeliveryRequest,
  partitionKey: (m) => m.chatKey,
  branch: (m) => getChannel(m.chatKey),
  group: 'gateways',
});

/**
 * Redis pub/sub channels, one per channel, of chats whose message overtakes bulk: what is published is a DeliveryRequest. It reaches the
 * gateway that holds the chat, and does not wait behind the entries of the outbound stream.
 */
export const URGENT_CHANNEL = 'urgent';

/** Redis pub/sub channel that passes /stop to the worker that holds the lane; the message is the user key. */
export const STOP_CHANNEL = 'stop';
