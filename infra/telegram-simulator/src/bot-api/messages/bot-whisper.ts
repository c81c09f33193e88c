import { z } from 'zod';
import { createBadRequest } from '../../bot-error.ts';
import * as parameter from '../bot-parameters.ts';
import type { StoredMessage } from '../../store/event.ts';
import { GROUP } from '../../store/people.ts';
import type { Store } from '../../store/store.ts';

/** Receiver of an ephemeral message, and the click or message that permits it. */
export const EphemeralParameters = z.looseObject({
  receiver_user_id: parameter.acceptInteger('invalid receiver_user_id specified'),
  callback_query_id: z.coerce.string().optional(),
  replace_callback_query_message: parameter.flag
    .refine((isWanted) => !isWanted, 'the simulator shows an ephemeral message below others, and in the place of none')
    .default(false),
});
type EphemeralParameters = z.output<typeof EphemeralParameters>;

/** Checks that the bot is an administrator, or answers a person's click or message within 15 seconds. Throws BotError 400. */
export function readEphemeral(
  store: Store,
  chatId: number,
  given: EphemeralParameters | undefined,
  replied: StoredMessage | null,
): StoredMessage['ephemeral'] {
  if (!given) return null;
  if (chatId !== GROUP.id) throw createBadRequest('BOT_NOT_ADMIN');
  const receiverId = given.receiver_user_id;
  if (receiverId === store.bot.id) throw createBadRequest('USER_IS_BOT');
  if (!store.state.people.get(receiverId)?.inGroup) throw createBadRequest('USER_NOT_PARTICIPANT');
  const isAllowed =
    store.state.botStatus === 'administrator' ||
    (given.callback_query_id === undefined
      ? answersRecently(store, replied, receiverId)
      : wasClickedRecently(store, given.callback_query_id, receiverId));
  if (!isAllowed) {
    throw createBadRequest(
      given.callback_query_id === undefined
        ? 'BOT_NOT_ADMIN'
        : 'query is too old and response timeout expired or query ID is invalid',
    );
  }
  return { receiverId };
}

function wasClickedRecently(store: Store, clickId: string, receiverId: number): boolean {
  const click = store.state.clicks.get(clickId);
  return click?.personId === receiverId && click.chatId === GROUP.id && isRecent(store, click.atMs);
}

function answersRecently(store: Store, replied: StoredMessage | null, receiverId: number): boolean {
  return (
    replied?.ephemeral?.receiverId === store.bot.id &&
    replied.fromId === receiverId &&
    isRecent(store, replied.date * 1_000)
  );
}

function isRecent(store: Store, atMs: number): boolean {
  return Date.now() - atMs < store.settings.ephemeralWindowMs;
}
