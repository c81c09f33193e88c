import type { VNode } from 'preact';
import { Composer } from '../composer/composer.tsx';
import { MessageList } from '../messages/message-list.tsx';
import { usePage, usePlace } from '../state/context.ts';
import { buildPlaceKey } from '../state/place.ts';
import { findBarrier } from './barrier.tsx';
import { ChatHeader } from './chat-header.tsx';
import { TopicTabs } from './topic-tabs.tsx';

/** One chat with header, messages and composer. Accepts dropped files everywhere. */
export function Chat({ unread }: { readonly unread: number }): VNode {
  const [page, place] = [usePage(), usePlace()];
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    page.writing.addFiles([...(event.dataTransfer?.files ?? [])]);
  };
  return (
    <main class="chat" id="chat" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <ChatHeader unread={unread} />
      <TopicTabs />
      <MessageList key={buildPlaceKey(place)} page={page} place={place} />
      {findBarrier(page, place) ?? <Composer />}
    </main>
  );
}
