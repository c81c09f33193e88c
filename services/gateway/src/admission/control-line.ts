import { SEND_PRIORITY, type MessageEnvelope, type OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';

/** Builds a control message about an update, for its sender or for another reader. */
export function createControlMessage(
  sent: Pick<MessageEnvelope, 'userKey' | 'chatKey' | 'traceId'>,
  key: string,
  body: OutboundEnvelope['body'],
  { userKey, chatKey }: Pick<OutboundEnvelope, 'userKey' | 'chatKey'> = sent,
): OutboundEnvelope {
  return { key, chatKey, userKey, traceId: sent.traceId, priority: SEND_PRIORITY.control, body };
}
