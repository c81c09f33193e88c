import type { VNode } from 'preact';
import type { BotStatus } from '../../store/event.ts';
import type { Page, Point } from '../state/page.ts';
import type { Place } from '../state/place.ts';
import { act } from '../state/simulator.ts';
import { SheetHead } from './bot-sheet.tsx';
import { SheetItem } from './sheet.tsx';

const STATUSES: readonly (readonly [BotStatus, string])[] = [
  ['administrator', 'Administrator: it reads everything'],
  ['member', 'Member: it reads commands, mentions and replies'],
  ['kicked', 'Removed from the group'],
];

/** Opens who is in the group, and what the bot may do there. */
export function openGroupSheet(page: Page, place: Place, at: Point): void {
  const { store } = page;
  const content = (): VNode => {
    const members = store.membersOf(place.chat.id).map(({ name }) => name);
    const topic = store.topics.find(({ topicId, isClosed }) => topicId === place.topic && !isClosed);
    const close = { from: place.person.id, isClosed: true };
    return (
      <>
        <SheetHead chat={place.chat} title={place.chat.title} detail={`${members.join(', ')} and ${store.botName()}`} />
        <h3>{store.botName()} here</h3>
        {STATUSES.map(([status, label]) => (
          <SheetItem
            label={label}
            drawing={status === store.bot?.groupStatus ? 'check' : 'bot'}
            isCurrent={status === store.bot?.groupStatus}
            run={() => void page.tell(() => act('rights', { by: place.person.id, status }))}
          />
        ))}
        {topic && (
          <SheetItem
            label={`Close the topic ${topic.name}`}
            drawing="close"
            run={() => void page.tell(() => act(`topics/${topic.topicId}`, close))}
          />
        )}
      </>
    );
  };
  page.change({ sheet: { label: 'About the group', at, content } });
}
