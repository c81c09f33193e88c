import type { VNode } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Chat } from './chat/chat.tsx';
import { Notices } from './sheets/notices.tsx';
import { Sidebar } from './sidebar/sidebar.tsx';
import { PageContext } from './state/context.ts';
import type { Page } from './state/page.ts';

const PHONE = matchMedia('(width <= 760px)');

/** The whole page, rendered again after each change. */
export function App({ page }: { readonly page: Page }): VNode {
  const { shown, store } = page;
  markRead(page);
  const unread = store.people.reduce((sum, person) => sum + store.unreadOf(person.id), 0);
  const pane = shown?.isList ? 'list' : 'chat';
  useEffect(() => {
    document.title = unread > 0 ? `(${unread}) Signalbox` : 'Signalbox';
  }, [unread]);
  useLayoutEffect(() => {
    if (!shown) return;
    const { dataset } = document.body;
    const isFirst = dataset['pane'] === undefined;
    dataset['pane'] = pane;
    // On a phone the focused element is on the hidden pane.
    const { activeElement } = document;
    if (isFirst || !PHONE.matches || (activeElement?.checkVisibility() && activeElement !== document.body)) return;
    document.querySelector<HTMLElement>(pane === 'list' ? '.chats [aria-current=true]' : '#back')?.focus();
  }, [pane, shown === null]);
  return (
    <PageContext.Provider value={page}>
      {shown ? (
        <>
          <Sidebar />
          <Chat unread={unread} />
        </>
      ) : (
        <p class="connection" role="status">
          {page.isConnected ? 'Loading…' : 'Reconnecting…'}
        </p>
      )}
      <Notices />
    </PageContext.Provider>
  );
}

/** Marks the visible messages as read. */
function markRead({ shown, list, store }: Page): void {
  if (shown === null || document.visibilityState !== 'visible' || (shown.isList && PHONE.matches)) return;
  if (list?.isAtEnd() ?? true) store.markRead(shown.person.id, shown.chat.id, shown.topic);
}
