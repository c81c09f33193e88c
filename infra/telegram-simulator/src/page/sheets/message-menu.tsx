import { Icon, type IconName } from '@signalbox/page-kit/icons';
import type { VNode } from 'preact';
import type { MessageView } from '../../store/message-view.ts';
import { summarizeMessage } from '../messages/summary.ts';
import { canEditMessage, copyText, forwardMessage } from '../state/actions.ts';
import type { Page } from '../state/page.ts';
import type { ShownChat } from '../state/shown-chat.ts';
import { ChatAvatar } from '../theme/avatar.tsx';
import { Row } from '../theme/row.tsx';

/** Opens the actions for a message, without those that clients do not offer, such as forwarding an ephemeral one. */
export function openMessageMenu(page: Page, shown: ShownChat, message: MessageView): void {
  const item = (title: string, icon: IconName, run: () => void): VNode => (
    <Row title={title} picture={<Icon name={icon} />} onPress={run} />
  );
  const content = (): VNode => (
    <>
      <p class="sheet-title">{summarizeMessage(message)}</p>
      {item('Reply', 'reply', () => page.writing.begin({ mode: 'reply', message }))}
      {message.text !== '' && item('Copy text', 'copy', () => void copyText(page, message.text))}
      {canEditMessage(message, shown.person.id) &&
        item('Edit', 'edit', () => page.writing.begin({ mode: 'edit', message }))}
      {message.ephemeral === null && item('Forward', 'forward', () => openForward(page, shown, message))}
    </>
  );
  page.change({ sheet: { label: 'Message', content } });
}

function openForward(page: Page, shown: ShownChat, message: MessageView): void {
  const content = (): VNode => (
    <>
      <h2>Forward to</h2>
      {page.store.chatsOf(shown.person.id).map((chat) => (
        <Row
          title={page.store.titleOf(chat)}
          picture={<ChatAvatar chat={chat} />}
          onPress={() => forwardMessage(page, shown, message, chat)}
        />
      ))}
    </>
  );
  page.change({ sheet: { label: 'Forward to', content } });
}
