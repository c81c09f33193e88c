import { z } from 'zod';
import { findMessage } from './bot-access.ts';
import { badRequest } from './bot-error.ts';
import * as parameter from './bot-parameters.ts';
import type { World } from './world.ts';

export const ReplyParameters = z.looseObject({
  message_id: parameter.messageId,
  allow_sending_without_reply: parameter.flag.default(false),
});

/** The id of the message that is replied to, or null. Throws BotError 400 if it must be there and is not. */
export function findReplied(
  world: World,
  chatId: number,
  reply: z.output<typeof ReplyParameters> | undefined,
): number | null {
  if (!reply) return null;
  const message = findMessage(world, chatId, reply.message_id);
  if (message) return message.messageId;
  if (reply.allow_sending_without_reply) return null;
  throw badRequest('message to be replied not found');
}
