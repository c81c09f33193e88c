import { z } from 'zod';
import { badRequest } from '../bot-error.ts';
import * as parameter from '../bot-parameters.ts';
import type { StoredMessage } from '../../store/entry.ts';
import { GROUP } from '../../people/people.ts';
import type { World } from '../../store/world.ts';

/** Who alone gets to see a message, and what lets the bot send it. */
export const EphemeralParameters = z.looseObject({
  receiver_user_id: parameter.integer('invalid receiver_user_id specified'),
  callback_query_id: z.coerce.string().optional(),
  replace_callback_query_message: parameter.flag.default(false),
});
type EphemeralParameters = z.output<typeof EphemeralParameters>;

/**
 * Checks whether the bot may send an ephemeral message: in the group, to a person in it, as an administrator at any
 * time, else within 15 seconds of their click or of their ephemeral message. Throws BotError 400. The conditions are
 * documented; of the refusals only BOT_NOT_ADMIN is known, for private chats too.
 */
export function readEphemeral(
  world: World,
  chatId: number,
  given: EphemeralParameters | undefined,
  replied: StoredMessage | null,
): StoredMessage['ephemeral'] {
  if (!given) return null;
  if (chatId !== GROUP.id) throw badRequest('BOT_NOT_ADMIN');
  const receiverId = given.receiver_user_id;
  if (receiverId === world.bot.id) throw badRequest('USER_IS_BOT');
  if (!world.state.people.get(receiverId)?.inGroup) throw badRequest('USER_NOT_PARTICIPANT');
  const isAllowed =
    world.state.botStatus === 'administrator' ||
    (given.callback_query_id === undefined
      ? answersRecently(world, replied, receiverId)
      : wasClickedRecently(world, given.callback_query_id, receiverId));
  if (!isAllowed) {
    throw badRequest(
      given.callback_query_id === undefined
        ? 'BOT_NOT_ADMIN'
        : 'query is too old and response timeout expired or query ID is invalid',
    );
  }
  return { receiverId, replaces: findReplaced(world, given) };
}

function wasClickedRecently(world: World, clickId: string, receiverId: number): boolean {
  const click = world.state.clicks.get(clickId);
  return click?.personId === receiverId && click.chatId === GROUP.id && isRecent(world, click.atMs);
}

function answersRecently(world: World, replied: StoredMessage | null, receiverId: number): boolean {
  return (
    replied?.ephemeral?.receiverId === world.bot.id &&
    replied.fromId === receiverId &&
    isRecent(world, replied.date * 1_000)
  );
}

function isRecent(world: World, atMs: number): boolean {
  return Date.now() - atMs < world.settings.ephemeralWindowMs;
}

function findReplaced(world: World, given: EphemeralParameters): number | null {
  if (!given.replace_callback_query_message) return null;
  const click = world.state.clicks.get(given.callback_query_id ?? '');
  const message = click && world.state.chats.get(click.chatId)?.get(click.messageId);
  // What is ephemeral itself is edited instead.
  if (!message || message.ephemeral !== null) throw badRequest('the message to be replaced is invalid');
  return message.messageId;
}
