import type { FeedEvent } from '../store/feed.ts';
import { isVisibleTo } from './message-view.ts';
import { GROUP } from './people.ts';
import type { World } from '../store/world.ts';

/**
 * Whether an event is shown to a watcher. One who watches as somebody sees what that person sees; one who watches as
 * nobody sees every chat, but nothing that is for one person alone.
 */
export function isEventFor(world: World, event: FeedEvent, personId: number | null): boolean {
  if ('message' in event && !isVisibleTo(event.message, personId)) return false;
  if (personId === null) return true;
  if (event.kind === 'answer') return event.personId === personId;
  if (!('chatId' in event)) return true;
  return event.chatId === personId || (event.chatId === GROUP.id && isInGroup(world, personId));
}

function isInGroup(world: World, personId: number): boolean {
  return world.state.people.get(personId)?.inGroup ?? false;
}
