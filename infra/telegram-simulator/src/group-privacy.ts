import type { MessageEntity } from 'grammy/types';
import { BOT_USERNAME, GROUP } from './people.ts';

export interface PrivacyQuestion {
  readonly chatId: number;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly repliesToBot: boolean;
}

/**
 * Answers whether a bot in Telegram's default privacy mode receives this message: all of a private chat; of a group
 * only commands (not those for another bot), mentions of it and replies to it.
 */
export function isShownToBot({ chatId, text, entities, repliesToBot }: PrivacyQuestion): boolean {
  if (chatId !== GROUP.id || repliesToBot) return true;
  return entities.some((entity) => {
    const part = text.slice(entity.offset, entity.offset + entity.length).toLowerCase();
    if (entity.type === 'mention') return part === `@${BOT_USERNAME}`;
    if (entity.type !== 'bot_command' || entity.offset !== 0) return false;
    const addressee = part.split('@')[1];
    return addressee === undefined || addressee === BOT_USERNAME;
  });
}
