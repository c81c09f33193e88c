import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { Composer } from '../composer/composer.tsx';
import { FieldControlContext, type FieldControl } from '../composer/field-control.ts';
import { say } from '../say.ts';
import type { Chat } from '../state/chat.ts';
import { ChatContext } from '../state/context.ts';
import type { Page } from '../state/page.ts';
import { Header } from './header.tsx';
import { ConnectionNotice } from './link-notice.tsx';
import { MessageList } from './list.tsx';

/** A conversation: header, messages and message field. */
export function ChatView({ page, chat }: { readonly page: Page; readonly chat: Chat }): VNode {
  const composer = useRef<FieldControl>(null);
  const fieldControl = useMemo<FieldControl>(
    () => ({ fill: (text) => composer.current?.fill(text), focus: () => composer.current?.focus() }),
    [],
  );
  const skip = (event: Event): void => {
    event.preventDefault();
    fieldControl.focus();
  };
  return (
    <ChatContext.Provider value={chat}>
      <FieldControlContext.Provider value={fieldControl}>
        <a class="skip" href="#message" onClick={skip}>
          {say('page.skip')}
        </a>
        <Header page={page} />
        <main class="chat">
          <MessageList chat={chat} focusField={fieldControl.focus} />
          <ConnectionNotice address={page.address} />
          <Composer commands={page.session.commands} fieldControl={composer} />
        </main>
      </FieldControlContext.Provider>
    </ChatContext.Provider>
  );
}
