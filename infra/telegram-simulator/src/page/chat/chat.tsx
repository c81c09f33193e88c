import type { VNode } from 'preact';
import { Icon } from '@signalbox/page-kit/icons';
import { Composer } from '../composer/composer.tsx';
import { MessageList } from '../messages/message-list.tsx';
import { usePage, useShownChat } from '../state/context.ts';
import { buildChatKey, type ShownChat } from '../state/shown-chat.ts';
import type { Page } from '../state/page.ts';
import { postAction } from '../state/simulator.ts';
import { openBotSheet, openGroupSheet, openPeopleSheet } from '../sheets/chat-sheets.tsx';
import { Avatar, ChatAvatar, Badge } from '../theme/avatar.tsx';

/** One chat with header, messages and composer. Accepts dropped files everywhere. */
export function Chat({ unread }: { readonly unread: number }): VNode {
  const [page, shown] = [usePage(), useShownChat()];
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    page.writing.addFiles([...(event.dataTransfer?.files ?? [])]);
  };
  return (
    <main class="chat" id="chat" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <ChatHeader unread={unread} />
      <TopicTabs />
      <MessageList key={buildChatKey(shown)} page={page} shown={shown} />
      {findBarrier(page, shown) ?? <Composer />}
    </main>
  );
}

/** Returns why a person cannot write in a chat, with the remedy; null when they can. */
function findBarrier(page: Page, { person, chat }: ShownChat): VNode | null {
  if (chat.type === 'group' || !person.blocked) return null;
  const unblock = (): Promise<unknown> => postAction('block', { person: person.id, blocked: false });
  return (
    <footer class="barrier">
      <p>{person.name} blocked the bot: neither hears from the other.</p>
      <button class="main-button" onClick={() => void page.runAction(unblock)}>
        Unblock the bot
      </button>
    </footer>
  );
}

/** Header with the chat, the bot's status, and the current person. */
function ChatHeader({ unread }: { readonly unread: number }): VNode {
  const [page, shown] = [usePage(), useShownChat()];
  const { person, chat, topic } = shown;
  const isWriting = page.drafts.of(chat.id) !== undefined;
  const doing = isWriting ? 'writing' : page.typing.of(`${chat.id}/${topic}`)?.replaceAll('_', ' ');
  const openAbout = chat.type === 'group' ? openGroupSheet : openBotSheet;
  const speaker = `You speak as ${person.name}`;
  const goBack = (): void => page.go({ ...shown, isList: true });
  return (
    <header class="bar">
      <button id="back" class="icon-button" aria-label="People and chats" onClick={goBack}>
        <Icon name="back" />
        {unread > 0 && <span class="badge">{unread > 99 ? '99+' : unread}</span>}
      </button>
      <div class="chat-title">
        <ChatAvatar chat={chat} />
        <div class="stack">
          <h1>
            <button class="about clip" aria-haspopup="dialog" onClick={() => openAbout(page, shown)}>
              {page.store.titleOf(chat)}
            </button>
          </h1>
          <span class={doing ? 'dim clip active' : 'dim clip'}>{doing ? `${doing}…` : describeChat(page, shown)}</span>
        </div>
      </div>
      {!page.isConnected && (
        <span class="connection" role="status">
          Reconnecting…
        </span>
      )}
      <button
        class="icon-button speaker"
        aria-haspopup="dialog"
        aria-label={`${speaker}. Change`}
        title={speaker}
        onClick={() => openPeopleSheet(page, shown)}
      >
        <Avatar from={person} more="small" />
        <span class="speaker-name">{person.name}</span>
      </button>
    </header>
  );
}

function describeChat({ store }: Page, { chat }: ShownChat): string {
  if (chat.type === 'private') return 'bot';
  const bot = store.bot?.groupStatus === 'kicked' ? ', the bot was removed' : ' and the bot';
  return `${store.membersOf(chat.id).length} people${bot}`;
}

/** The topics of a group, the general one first. */
function TopicTabs(): VNode | null {
  const [page, shown] = [usePage(), useShownChat()];
  const { person, chat, topic } = shown;
  const topics = page.store.topicsOf(chat);
  if (topics.length === 0) return null;
  const general = { topicId: null, name: 'General' };
  return (
    <nav class="topics" aria-label="Topics">
      {[general, ...topics].map(({ topicId, name }) => (
        <button
          key={topicId}
          class="topic"
          aria-current={topicId === topic}
          onClick={() => page.go({ ...shown, topic: topicId })}
        >
          <span class="clip">{name}</span>
          <Badge count={page.store.unread(person.id, chat.id, topicId)} />
        </button>
      ))}
    </nav>
  );
}
