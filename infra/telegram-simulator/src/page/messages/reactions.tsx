import type { VNode } from 'preact';
import type { MessageView } from '../../people/message-view.ts';
import { react } from '../state/actions.ts';
import { usePage, usePlace } from '../state/context.ts';

/** What the menu of a message offers: the free reactions of Telegram that people use most. */
const QUICK_REACTIONS = ['👍', '❤', '🔥', '🎉', '😁', '🤔', '👀'];

/** The reactions below a message. Pressing one adds one's own or takes it back. */
export function Reactions({ message }: { readonly message: MessageView }): VNode {
  const [page, place] = [usePage(), usePlace()];
  const me = place.person.id;
  return (
    <div class="reactions">
      {message.reactions.map(({ emoji, fromIds }) => {
        const isOwn = fromIds.includes(me);
        const names = fromIds.map((id) => (id === me ? 'you' : page.store.nameOf(id))).join(', ');
        return (
          <button
            key={emoji}
            class="reaction"
            title={names}
            aria-label={`${emoji} from ${names}`}
            aria-pressed={isOwn}
            onClick={() => react(page, place, message, isOwn ? null : emoji)}
          >
            <span class="emoji">{emoji}</span>
            <span>{fromIds.length}</span>
          </button>
        );
      })}
    </div>
  );
}

/** The row of the menu that reacts to a message. */
export function ReactionChoice({ message }: { readonly message: MessageView }): VNode {
  const [page, place] = [usePage(), usePlace()];
  const own = message.reactions.find(({ fromIds }) => fromIds.includes(place.person.id))?.emoji;
  return (
    <div class="reaction-choices" role="group" aria-label="React">
      {QUICK_REACTIONS.map((emoji) => (
        <button
          class="emoji"
          aria-label={`React with ${emoji}`}
          aria-pressed={emoji === own}
          onClick={() => react(page, place, message, emoji === own ? null : emoji)}
        >
          {emoji}
        </button>
      ))}
    </div>
  );
}
