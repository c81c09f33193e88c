import { z } from 'zod';
import type { StoredMessage } from '../store/event.ts';
import { putNewMessage, toForwarded } from '../store/new-message.ts';
import { resolveChatName } from '../store/people.ts';
import { Acting, ChatName, findPlace, PersonError, requireMember, requireMessage } from './person-access.ts';
import { type Sent, sendUpdate } from './sent-update.ts';
import type { Store } from '../store/store.ts';

export const PersonForward = Acting.extend({ messageId: z.int(), to: ChatName.optional() })
  .transform(findPlace)
  .transform(({ to, ...given }) => ({ ...given, toChatId: resolveChatName(to ?? given.from) }));

/** Forwards a visible message to another chat of the person, with its buttons, so that a click can come from an unexpected chat. */
export function forwardFromPerson(store: Store, action: z.output<typeof PersonForward>): Sent {
  const person = requireMember(store, action.from, action.chatId);
  requireMember(store, action.from, action.toChatId);
  const message = requireMessage(store, action.chatId, action.messageId, person.id);
  if (message.ephemeral !== null) throw new PersonError(400, 'This message cannot be forwarded.');
  const forwarded: StoredMessage = putNewMessage(store, {
    ...toForwarded(message),
    chatId: action.toChatId,
    fromId: person.id,
  });
  return sendUpdate(store, 'message', forwarded);
}
