import type { VNode } from 'preact';
import type { Page } from '../state/page.ts';
import type { Place } from '../state/place.ts';
import { act } from '../state/simulator.ts';

/** Why somebody cannot write in a place, and what lets them; null where they can. */
export function findBarrier(page: Page, { person, chat, topic }: Place): VNode | null {
  const closed = page.store.topicsOf(chat).find(({ topicId, isClosed }) => topicId === topic && isClosed);
  if (!closed && (chat.type === 'group' || !person.blocked)) return null;
  const reason = closed
    ? `The topic ${closed.name} is closed.`
    : `${person.name} blocked the bot: neither hears from the other.`;
  const open = (): Promise<unknown> =>
    closed
      ? act(`topics/${closed.topicId}`, { from: person.id, isClosed: false })
      : act('block', { person: person.id, blocked: false });
  return (
    <footer class="barrier">
      <p>{reason}</p>
      <button class="main-button" onClick={() => void page.tell(open)}>
        {closed ? 'Open it again' : 'Unblock the bot'}
      </button>
    </footer>
  );
}
