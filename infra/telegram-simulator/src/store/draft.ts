import type { MessageEntity, RichMessage } from 'grammy/types';

/** A message that the bot is still writing. It is shown for a short time, and a private chat has at most one. */
export interface Draft {
  readonly chatId: number;
  readonly draftId: number;
  /** Empty for the placeholder that clients show while the bot thinks. */
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly rich: RichMessage | null;
  readonly canStop: boolean;
  /** Whether it stays after the person pressed Stop. */
  readonly keepOnStop: boolean;
  /** Epoch milliseconds. */
  readonly expiresAtMs: number;
}
