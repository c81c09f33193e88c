import type { MessageView } from '../../people/message-view.ts';
import { isVisibleTo } from '../../people/visibility.ts';

type Seen = Pick<MessageView, 'messageId' | 'ephemeral' | 'deleted'> & { readonly from: { readonly id: number } };

/**
 * The messages that a person sees, oldest first, without the deleted ones. One that is for this person alone may take the
 * place of another.
 */
export function arrangeMessages<Message extends Seen>(messages: readonly Message[], person: number): Message[] {
  const seen = messages.filter((message) => !message.deleted && isVisibleTo(message, person));
  const replaced = new Set(seen.map(({ ephemeral }) => ephemeral?.replaces));
  const placeOf = ({ messageId, ephemeral }: Message): number => ephemeral?.replaces ?? messageId;
  return seen
    .filter(({ messageId }) => !replaced.has(messageId))
    .toSorted((a, b) => placeOf(a) - placeOf(b) || a.messageId - b.messageId);
}
