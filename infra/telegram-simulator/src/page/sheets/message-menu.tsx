import type { VNode } from 'preact';
import type { MessageView } from '../../people/message-view.ts';
import { ReactionChoice } from '../messages/reactions.tsx';
import { summaryOf } from '../messages/summary.ts';
import { canEdit, copyText, forward, react, remove } from '../state/actions.ts';
import type { Page, Point } from '../state/page.ts';
import type { Place } from '../state/place.ts';
import { ChatAvatar } from '../theme/avatar.tsx';
import { SheetItem } from './sheet.tsx';

/**
 * Opens what can be done with a message. What a client does not let people do is not offered: what is for one person alone
 * is not forwarded, and in a group one deletes only one's own.
 */
export function openMessageMenu(page: Page, place: Place, message: MessageView, at: Point): void {
  page.change({ sheet: { label: 'Message', at, content: () => renderMenu(page, place, message, at) } });
}

function renderMenu(page: Page, place: Place, message: MessageView, at: Point): VNode {
  const { person, chat } = place;
  const isWhisper = message.ephemeral !== null;
  const begin = (mode: 'reply' | 'edit') => () => page.writing.begin({ mode, message });
  const close = (): void => page.change({ sheet: null });
  return (
    <>
      {!isWhisper && (
        <ReactionChoice
          message={message}
          onReact={(emoji) => {
            close();
            react(page, place, message, emoji);
          }}
        />
      )}
      <p class="sheet-title" dir="auto">
        {summaryOf(message)}
      </p>
      <SheetItem label="Reply" drawing="reply" run={begin('reply')} />
      {message.text !== '' && (
        <SheetItem label="Copy text" drawing="copy" run={() => void copyText(page, message.text)} />
      )}
      {canEdit(message, person.id) && <SheetItem label="Edit" drawing="edit" run={begin('edit')} />}
      {!isWhisper && <SheetItem label="Forward" drawing="forward" run={() => openForward(page, place, message, at)} />}
      {(message.from.id === person.id || chat.type === 'private') && (
        <SheetItem label="Delete" drawing="delete" isDanger run={() => remove(page, place, message)} />
      )}
    </>
  );
}

function openForward(page: Page, place: Place, message: MessageView, at: Point): void {
  const content = (): VNode => (
    <>
      <h2>Forward to</h2>
      {page.store.chatsOf(place.person.id).map((chat) => (
        <SheetItem
          label={page.store.titleOf(chat)}
          drawing={<ChatAvatar chat={chat} />}
          run={() => forward(page, place, message, chat)}
        />
      ))}
    </>
  );
  page.change({ sheet: { label: 'Forward to', at, content } });
}
