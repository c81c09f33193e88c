import { toTarget } from './chat-key.ts';

/*
 * What a delivery keeps of a message that was sent: usually its number in the row's chat. Messages for one person of a group are
 * elsewhere: `w<person>:<number>` is one that only they see there, `p<person>:<number>` stands in their private chat.
 */

/** Where a message of a delivery is. none: nothing was sent that could be changed. */
export type MessageRef =
  | { readonly kind: 'message'; readonly chatId: number; readonly id: number }
  | { readonly kind: 'whisper'; readonly chatId: number; readonly userId: number; readonly id: number }
  | { readonly kind: 'none' };

/** Stands for a part that was left out. */
export const NO_MESSAGE = 'none';

export function whisperRef(userId: number, ephemeralId: number): string {
  return `w${userId}:${ephemeralId}`;
}

export function privateRef(userId: number, messageId: string): string {
  return `p${userId}:${messageId}`;
}

/** Whether a message of a delivery is one that only one person sees in the group. */
export function isWhisper(stored: string): boolean {
  return stored.startsWith('w');
}

/** Reads what was written by the functions above, or a plain number. */
export function readRef(chatKey: string, stored: string): MessageRef {
  const { chatId } = toTarget(chatKey);
  const [, kind, person, number] = /^(?:([wp])(\d+):)?(\d+)$/.exec(stored) ?? [];
  const id = Number(number);
  if (number === undefined) return { kind: 'none' };
  if (kind === 'w') return { kind: 'whisper', chatId, userId: Number(person), id };
  return { kind: 'message', chatId: kind === 'p' ? Number(person) : chatId, id };
}
