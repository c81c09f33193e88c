import type { VNode } from 'preact';
import type { Page } from '../state/page.ts';
import type { Place } from '../state/place.ts';
import { act } from '../state/simulator.ts';

/** Returns why a person cannot write in a chat, with the remedy; null when they can. */
export function findBarrier(page: Page, { person, chat }: Place): VNode | null {
  if (chat.type === 'group' || !person.blocked) return null;
  const unblock = (): Promise<unknown> => act('block', { person: person.id, blocked: false });
  return (
    <footer class="barrier">
      <p>{person.name} blocked the bot: neither hears from the other.</p>
      <button class="main-button" onClick={() => void page.tell(unblock)}>
        Unblock the bot
      </button>
    </footer>
  );
}
