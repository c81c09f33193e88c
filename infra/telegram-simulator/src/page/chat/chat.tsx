import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Composer } from '../composer/composer.tsx';
import { MessageList } from '../messages/message-list.tsx';
import { usePage, usePlace } from '../state/context.ts';
import { keyOf } from '../state/place.ts';
import { findBarrier } from './barrier.tsx';
import { ChatHeader } from './chat-header.tsx';
import { TopicTabs } from './topic-tabs.tsx';

/** One chat: its header, its messages and the field. Files may be dropped anywhere on it. */
export function Chat({ unread }: { readonly unread: number }): VNode {
  const [page, place] = [usePage(), usePlace()];
  const [isOver, setOver] = useState(false);
  return (
    <main
      class="chat"
      id="chat"
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) =>
        setOver(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))
      }
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        page.writing.addFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <ChatHeader unread={unread} />
      <TopicTabs />
      <MessageList key={keyOf(place)} page={page} place={place} />
      {findBarrier(page, place) ?? <Composer />}
      {isOver && <p class="drop">Drop files here to send them</p>}
    </main>
  );
}
