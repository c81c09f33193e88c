import type { MessageEntity } from 'grammy/types';
import type { BotStatus } from '../store/event.ts';
import { BOT_USERNAME, GROUP } from '../store/people.ts';

export interface PrivacyQuestion {
  readonly chatId: number;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly repliesToBot: boolean;
  /** True for an ephemeral message to the bot. */
  readonly isForBot: boolean;
  readonly botStatus: BotStatus;
}

/** Applies Telegram's privacy mode: in groups, a bot that is no administrator receives only commands, mentions and replies to it. */
export function isShownToBot(question: PrivacyQuestion): boolean {
  const { chatId, text, entities, botStatus } = question;
  if (chatId !== GROUP.id) return true;
  if (botStatus === 'kicked') return false;
  if (botStatus === 'administrator' || question.repliesToBot || question.isForBot) return true;
  return entities.some((entity) => {
    const part = text.slice(entity.offset, entity.offset + entity.length).toLowerCase();
    if (entity.type === 'mention') return part === `@${BOT_USERNAME}`;
    if (entity.type !== 'bot_command' || entity.offset !== 0) return false;
    const addressee = part.split('@')[1];
    return addressee === undefined || addressee === BOT_USERNAME;
  });
}
