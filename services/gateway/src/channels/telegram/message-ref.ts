import { toTarget } from './chat-key.ts';

/*
 * The stored id of a sent message is usually its number in the row's chat. `w<person>:<number>` is a group message that
 * only this person sees, `p<person>:<number>` a message in their private chat.
 */

/** Where a sent message is. none: there is no message to change. */
export type MessageRef =
  | { readonly kind: 'message'; readonly chatId: number; readonly id: number }
  | { readonly kind: 'whisper'; readonly chatId: number; readonly userId: number; readonly id: number }
  | { readonly kind: 'none' };

/** Stored as the id of a part that was not sent. */
export const NO_MESSAGE = 'none';

export function createEphemeralRef(userId: number, ephemeralId: number): string {
  return `w${userId}:${ephemeralId}`;
}

export function createPrivateRef(userId: number, messageId: string): string {
  return `p${userId}:${messageId}`;
}

/** True for a group message that only one person sees. */
export function isEphemeralRef(stored: string): boolean {
  return stored.startsWith('w');
}

export function parseRef(chatKey: string, stored: string): MessageRef {
  const { chatId } = toTarget(chatKey);
  const [, kind, person, number] = /^(?:([wp])(\d+):)?(\d+)$/.exec(stored) ?? [];
  const id = Number(number);
  if (number === undefined) return { kind: 'none' };
  if (kind === 'w') return { kind: 'whisper', chatId, userId: Number(person), id };
  return { kind: 'message', chatId: kind === 'p' ? Number(person) : chatId, id };
}
