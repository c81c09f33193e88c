import { PRIORITY, type MessageEnvelope, type OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';

/** A line of the gateway's own about what a person sent: for its sender, or for another reader. */
export function controlLine(
  sent: Pick<MessageEnvelope, 'userKey' | 'chatKey' | 'traceId'>,
  key: string,
  body: OutboundEnvelope['body'],
  { userKey, chatKey }: Pick<OutboundEnvelope, 'userKey' | 'chatKey'> = sent,
): OutboundEnvelope {
  return { key, chatKey, userKey, traceId: sent.traceId, priority: PRIORITY.control, body };
}
