import type { MessageView } from '../../store/message-view.ts';
import { isVisibleTo } from '../../people/visibility.ts';

type Seen = Pick<MessageView, 'messageId' | 'ephemeral' | 'deleted'> & { readonly from: { readonly id: number } };

/** Returns the messages that a person sees, oldest first, without deleted ones. */
export function arrangeMessages<Message extends Seen>(messages: readonly Message[], person: number): Message[] {
  return messages
    .filter((message) => !message.deleted && isVisibleTo(message, person))
    .toSorted((a, b) => a.messageId - b.messageId);
}
