import type { MessageEntity, RichMessage } from 'grammy/types';

/** An unfinished message of the bot, shown for a short time; at most one per private chat. */
export interface Draft {
  readonly chatId: number;
  readonly draftId: number;
  /** Empty for the "Thinking…" placeholder. */
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly rich: RichMessage | null;
  readonly canStop: boolean;
  /** True when it stays after Stop. */
  readonly keepOnStop: boolean;
  /** In epoch milliseconds. */
  readonly expiresAtMs: number;
}
