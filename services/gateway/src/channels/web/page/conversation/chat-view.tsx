import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { Composer } from '../composer/composer.tsx';
import { WritingContext, type Writing } from '../composer/writing.ts';
import { say } from '../say.ts';
import type { Chat } from '../state/chat.ts';
import { ChatContext } from '../state/context.ts';
import type { Page } from '../state/page.ts';
import { Header } from './header.tsx';
import { LinkNotice } from './link-notice.tsx';
import { List } from './list.tsx';

/** A conversation: header, messages and message field. */
export function ChatView({ page, chat }: { readonly page: Page; readonly chat: Chat }): VNode {
  const composer = useRef<Writing>(null);
  const writing = useMemo<Writing>(
    () => ({
      fill: (text) => composer.current?.fill(text),
      focus: () => composer.current?.focus(),
    }),
    [],
  );
  const skip = (event: Event): void => {
    event.preventDefault();
    writing.focus();
  };
  return (
    <ChatContext.Provider value={chat}>
      <WritingContext.Provider value={writing}>
        <a class="skip" href="#message" onClick={skip}>
          {say('page.skip')}
        </a>
        <Header page={page} />
        <main class="chat">
          <List chat={chat} focusField={writing.focus} />
          <LinkNotice address={page.address} />
          <Composer commands={page.session.commands} writing={composer} />
        </main>
      </WritingContext.Provider>
    </ChatContext.Provider>
  );
}
