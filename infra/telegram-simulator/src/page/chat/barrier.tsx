import type { VNode } from 'preact';
import type { Page } from '../state/page.ts';
import type { Place } from '../state/place.ts';
import { act } from '../state/simulator.ts';

/** Why somebody cannot write in a place, and what lets them; null where they can. */
export function findBarrier(page: Page, { person, chat, topic }: Place): VNode | null {
  const closed = page.store.topicsOf(chat).find(({ topicId, isClosed }) => topicId === topic && isClosed);
  if (closed) {
    const open = { from: person.id, isClosed: false };
    return renderBarrier(`The topic ${closed.name} is closed.`, 'Open it again', () =>
      page.tell(() => act(`topics/${closed.topicId}`, open)),
    );
  }
  if (chat.type !== 'private' || !person.blocked) return null;
  return renderBarrier(`${person.name} blocked the bot: neither hears from the other.`, 'Unblock the bot', () =>
    page.tell(() => act('block', { person: person.id, blocked: false })),
  );
}

function renderBarrier(reason: string, way: string, run: () => Promise<void>): VNode {
  return (
    <footer class="barrier">
      <p>{reason}</p>
      <button type="button" class="main-button" onClick={() => void run()}>
        {way}
      </button>
    </footer>
  );
}
