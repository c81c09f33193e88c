import type { FeedEvent } from '../store/feed.ts';
import { isVisibleTo } from './visibility.ts';
import { GROUP } from '../store/people.ts';
import type { Store } from '../store/store.ts';

/** True when a subscriber sees an event: as a person, that person's view; without one, all events except ephemeral ones. */
export function isEventFor(store: Store, event: FeedEvent, personId: number | null): boolean {
  if ('message' in event && !isVisibleTo(event.message, personId)) return false;
  if (personId === null) return true;
  if (event.kind === 'answer') return event.personId === personId;
  if (!('chatId' in event)) return true;
  return event.chatId === personId || (event.chatId === GROUP.id && isInGroup(store, personId));
}

function isInGroup(store: Store, personId: number): boolean {
  return store.state.people.get(personId)?.inGroup ?? false;
}
