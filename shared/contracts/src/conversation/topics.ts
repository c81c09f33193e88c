import { z } from 'zod';
import { getChannel } from './chat-key.ts';

/**
 * What travels on the inbound stream: a wake-up for one person's lane. The message itself is the inbox row in Postgres,
 * so that Redis holds no text and nothing that Postgres cannot give back.
 */
export const WakeUp = z.object({ userKey: z.string().min(1), traceId: z.string() });
export type WakeUp = z.infer<typeof WakeUp>;

/** What travels on the outbound stream: `send` wakes the delivery of one chat's outbox rows, `typing` shows activity there. */
export const Delivery = z.object({ kind: z.enum(['send', 'typing']), chatKey: z.string().min(1), traceId: z.string() });
export type Delivery = z.infer<typeof Delivery>;

export interface Topic<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly schema: S;
  /** Entries with the same value go to the same partition, in order. */
  readonly partitionKey: (message: z.output<S>) => string;
  /** Entries with another branch go to another stream, which only those read who take that branch. */
  readonly branch?: (message: z.output<S>) => string;
  readonly group: string;
}

const topic = <S extends z.ZodType>(spec: Topic<S>): Topic<S> => spec;

export const INBOUND = topic({ name: 'in', schema: WakeUp, partitionKey: (m) => m.userKey, group: 'workers' });
/** Each channel has a branch: a gateway reads those of the channels that it opened, and one that is down holds up no other. */
export const OUTBOUND = topic({
  name: 'out',
  schema: Delivery,
  partitionKey: (m) => m.chatKey,
  branch: (m) => getChannel(m.chatKey),
  group: 'gateways',
});

/** Redis pub/sub channel on which a /stop nudges the worker that holds the lane; the message is the user key. */
export const STOP_CHANNEL = 'stop';
