/*
 * A source `ci` is the user `ingress-ci`. Its conversations are topics of the chat `ingress:ci`: they share the rate limit
 * and do not wait for each other.
 */

export const SOURCE_NAME_PATTERN = /^[a-z][a-z0-9-]{0,31}$/;
/** An event without a conversation starts one that is named after the event. */
export const CONVERSATION_NAME_PATTERN = /^[\w.-]{1,80}$/;

/** The ingress has one bot account; its name is part of idempotency keys. */
export const INGRESS_ACCOUNT = 'programs';

export function toUserKey(source: string): string {
  return `ingress-${source}`;
}

export function toChatKey(source: string, conversation: string | null): string {
  return conversation === null ? `ingress:${source}` : `ingress:${source}/${conversation}`;
}

export function getIngressSource(chatKey: string): string {
  return chatKey.slice('ingress:'.length).split('/', 1)[0] ?? '';
}

/** The message id that programs see. */
export function toMessageId(outboxId: number | string): string {
  return `msg_${outboxId}`;
}

/** The outbox id of a message id, also with the suffix for one of several events; null for other text. */
export function toOutboxId(messageId: string): string | null {
  return /^msg_([1-9]\d{0,17})(?:\.evt_\w{1,40})?$/.exec(messageId)?.[1] ?? null;
}
