/*
 * A source `ci` is the user `ingress-ci`; its conversations are topics of the chat `ingress:ci`, so that they share its pace and none of
 * them waits for another one's answer.
 */

/** What a source may be called. */
export const SOURCE_NAME = /^[a-z][a-z0-9-]{0,31}$/;
/** What a conversation may be called. An event without one has a conversation of its own, which is called as the event is. */
export const CONVERSATION_NAME = /^[\w.-]{1,80}$/;

/** Our account, as it stands in idempotency keys: there is one. */
export const INGRESS_ACCOUNT = 'programs';

/** The user that a source writes as. */
export function toUserKey(source: string): string {
  return `ingress-${source}`;
}

/** The chat of a source, or one of its conversations. */
export function toChatKey(source: string, conversation: string | null): string {
  return conversation === null ? `ingress:${source}` : `ingress:${source}/${conversation}`;
}

/** The source that a chat belongs to. */
export function sourceOf(chatKey: string): string {
  return chatKey.slice('ingress:'.length).split('/', 1)[0] ?? '';
}

/** The id of a message for the program that reads it, by its row. */
export function toMessageId(outboxId: number | string): string {
  return `msg_${outboxId}`;
}

/** The row of a message, also as one of several events has it; null for what is no such id. */
export function toOutboxId(messageId: string): string | null {
  return /^msg_([1-9]\d{0,17})(?:\.evt_\w{1,40})?$/.exec(messageId)?.[1] ?? null;
}
