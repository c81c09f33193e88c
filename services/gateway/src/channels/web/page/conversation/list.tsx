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
 * What was said. What the reader sends brings them to its end. When the row that has the focus is replaced, the focus stays there; when
 * the row goes, the focus moves to the field.
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
  // A gateway may send what is being written in both forms.
  const hasDraft = components.some(({ type }) => type === 'Draft');
  const isEmpty = chat.isLoaded && components.length === 0 && pending.messages.length === 0;
  const leap = (): void => {
    list.current?.toEnd();
    // The button is gone with that.
    focusField();
  };
  return (
    <div class="list">
      <FollowingList
        list={list}
        ids={components.map(({ id }) => id)}
        // It scrolls with the keyboard as well.
        scroller={{ tabIndex: 0, role: 'region', 'aria-label': say('page.conversation') }}
        content={{
          onFocusIn: ({ target }) => {
            focused.current = findRowId(target);
          },
          onFocusOut: ({ relatedTarget }) => {
            // A row that is removed loses the focus to nothing.
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
        {/* A change of what was said, such as progress, is not read out again. */}
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
