import { z } from 'zod';
import { findMessage, requireWritableChat } from '../bot-access.ts';
import { badRequest } from '../bot-error.ts';
import { chatId, jsonOf, messageId, parseParameters, type Parameters } from '../bot-parameters.ts';
import { isReaction, putReaction } from '../../store/reactions.ts';
import type { Store } from '../../store/store.ts';

/** Custom emoji would have to be on the message already, and paid ones are not for bots. */
const Reaction = z.looseObject({
  type: z.literal('emoji', { error: 'REACTION_INVALID' }),
  emoji: z.string().refine(isReaction, 'REACTION_INVALID'),
});
const SetMessageReaction = z.object({
  chat_id: chatId,
  message_id: messageId,
  reaction: jsonOf(
    z.array(Reaction, { error: "can't parse reaction types JSON object" }).max(1, 'REACTIONS_TOO_MANY'),
    "can't parse reaction types JSON object",
  ).default([]),
});

/** setMessageReaction: at most one emoji of Telegram's list; none takes the bot's reaction away. Nobody is told. */
export function setMessageReaction(store: Store, parameters: Parameters): true {
  const given = parseParameters(SetMessageReaction, parameters);
  const chat = requireWritableChat(store, given.chat_id);
  const message = findMessage(store, chat, given.message_id);
  if (!message) throw badRequest('message to react not found');
  putReaction(store, message, store.bot.id, given.reaction[0]?.emoji ?? null);
  return true;
}
