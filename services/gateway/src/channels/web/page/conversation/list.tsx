import { FollowingList } from '@signalbox/page-kit/following-list';
import { Icon } from '@signalbox/page-kit/icons';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { DraftBubble } from '../components/draft.tsx';
import { say } from '../say.ts';
import type { Chat } from '../state/chat.ts';
import { PendingMessages } from './pending-messages.tsx';
import { renderRows } from './rows.tsx';

interface Props {
  readonly chat: Chat;
  readonly focusField: () => void;
}

/**
 * The messages. Sending scrolls to the end. When a focused row is replaced it keeps the focus; when it is removed the
 * message field gets it.
 */
export function List({ chat, focusField }: Props): VNode {
  const { components, pending, partial, isThinking } = chat;
  const list = useRef<FollowingList>(null);
  const ownCount = useRef(0);
  const focused = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (pending.messages.length > ownCount.current) list.current?.toEnd();
    ownCount.current = pending.messages.length;
    if (focused.current === null || document.activeElement !== document.body) return;
    const row = document.querySelector<HTMLElement>(`[data-id="${CSS.escape(focused.current)}"]`);
    focused.current = null;
    if (row) row.focus({ preventScroll: true });
    else focusField();
  });
  // A gateway may send a draft in both forms.
  const hasDraft = components.some(({ type }) => type === 'Draft');
  const isEmpty = chat.isLoaded && components.length === 0 && pending.messages.length === 0;
  const leap = (): void => {
    list.current?.toEnd();
    // The button disappears with it.
    focusField();
  };
  return (
    <div class="list">
      <FollowingList
        list={list}
        ids={components.map(({ id }) => id)}
        // Focusable, so that the keyboard can scroll it.
        scroller={{ tabIndex: 0, role: 'region', 'aria-label': say('page.conversation') }}
        content={{
          onFocusIn: ({ target }) => {
            focused.current = findRowId(target);
          },
          onFocusOut: ({ relatedTarget }) => {
            // A removed row loses the focus without a target.
            if (relatedTarget !== null) focused.current = null;
          },
        }}
        drawButton={(missed) => (
          <button type="button" class="to-end" onClick={leap}>
            <Icon name="down" />
            {missed > 0 ? say('page.new-messages', { count: missed }) : say('page.newest')}
          </button>
        )}
      >
        {isEmpty && <p class="empty">{say('page.empty')}</p>}
        {/* Changes of a row, such as progress, are not announced again. */}
        <div role="log" aria-relevant="additions" aria-busy={!chat.isLoaded} class="rows">
          {renderRows(components)}
        </div>
        <PendingMessages chat={chat} />
        {partial.person !== '' && <p class="bubble own draft">{partial.person}</p>}
        {partial.agent !== '' && !hasDraft && <DraftBubble text={partial.agent} />}
        <p class="thinking" role="status">
          {isThinking && partial.agent === '' && !hasDraft && say('page.thinking')}
        </p>
      </FollowingList>
    </div>
  );
}

function findRowId(target: EventTarget | null): string | null {
  return target instanceof Element ? (target.closest<HTMLElement>('[data-id]')?.dataset['id'] ?? null) : null;
}
