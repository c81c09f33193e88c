import type { VNode } from 'preact';
import type { Page, Point } from '../state/page.ts';
import type { Place } from '../state/place.ts';
import { Avatar, Badge } from '../theme/avatar.tsx';
import { SheetItem } from './sheet.tsx';

/** Opens the choice of who speaks: everybody, with what they have not read. */
export function openPeopleSheet(page: Page, place: Place, at: Point): void {
  const { store } = page;
  const content = (): VNode => (
    <>
      <h2>Speak as</h2>
      {store.people.map((person) => (
        <SheetItem
          label={person.name}
          detail={person.role}
          drawing={<Avatar from={person} />}
          isCurrent={person.id === place.person.id}
          run={() => {
            // In the group everyone who is in it goes on reading the same.
            const same = store.chat(person.id, place.chat.id);
            const [chat = place.chat] = same ? [same] : store.chatsOf(person.id);
            page.go({ ...place, person, chat, topic: same ? place.topic : null });
          }}
        >
          <Badge count={store.unreadOf(person.id)} />
        </SheetItem>
      ))}
    </>
  );
  page.change({ sheet: { label: 'Speak as', at, content } });
}
