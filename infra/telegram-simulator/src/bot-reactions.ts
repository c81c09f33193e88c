import { z } from 'zod';
import { findMessage, requireWritableChat } from './bot-access.ts';
import { badRequest } from './bot-error.ts';
import { chatId, jsonOf, messageId, parseParameters, type Parameters } from './bot-parameters.ts';
import { isReaction, putReaction } from './reactions.ts';
import type { World } from './world.ts';

const SetMessageReaction = z.object({
  chat_id: chatId,
  message_id: messageId,
  reaction: jsonOf(
    z.array(z.looseObject({ type: z.string(), emoji: z.string().optional() }), {
      error: "can't parse reaction types JSON object",
    }),
    "can't parse reaction types JSON object",
  ).default([]),
});

/** setMessageReaction: at most one emoji of Telegram's list; none takes the bot's reaction away. Nobody is told. */
export function setMessageReaction(world: World, parameters: Parameters): true {
  const given = parseParameters(SetMessageReaction, parameters);
  const chat = requireWritableChat(world, given.chat_id);
  const message = findMessage(world, chat, given.message_id);
  if (!message) throw badRequest('message to react not found');
  if (given.reaction.length > 1) throw badRequest('REACTIONS_TOO_MANY');
  const [reaction] = given.reaction;
  // Custom emoji would have to be on the message already, and paid ones are not for bots.
  const emoji = reaction?.type === 'emoji' ? (reaction.emoji ?? '') : '';
  if (reaction && !isReaction(emoji)) throw badRequest('REACTION_INVALID');
  putReaction(world, message, world.bot.id, reaction ? emoji : null);
  return true;
}
