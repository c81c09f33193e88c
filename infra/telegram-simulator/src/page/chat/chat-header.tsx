import { Icon } from '@signalbox/page-kit/icons';
import type { VNode } from 'preact';
import { openBotSheet, openGroupSheet, openPeopleSheet } from '../sheets/place-sheets.tsx';
import { usePage, usePlace } from '../state/context.ts';
import type { Page } from '../state/page.ts';
import type { Place } from '../state/place.ts';
import { Avatar, ChatAvatar } from '../theme/avatar.tsx';

/** Header with the chat, the bot's status, and the current person. */
export function ChatHeader({ unread }: { readonly unread: number }): VNode {
  const [page, place] = [usePage(), usePlace()];
  const { person, chat, topic } = place;
  const isWriting = page.drafts.of(chat.id) !== undefined;
  const doing = isWriting ? 'writing' : page.typing.of(`${chat.id}/${topic}`)?.replaceAll('_', ' ');
  const openAbout = chat.type === 'group' ? openGroupSheet : openBotSheet;
  const speaker = `You speak as ${person.name}`;
  const goBack = (): void => page.go({ ...place, isList: true });
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
            <button class="about clip" aria-haspopup="dialog" onClick={() => openAbout(page, place)}>
              {page.store.titleOf(chat)}
            </button>
          </h1>
          <span class={doing ? 'dim clip active' : 'dim clip'}>{doing ? `${doing}…` : describeChat(page, place)}</span>
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
        onClick={() => openPeopleSheet(page, place)}
      >
        <Avatar from={person} more="small" />
        <span class="speaker-name">{person.name}</span>
      </button>
    </header>
  );
}

function describeChat({ store }: Page, { chat }: Place): string {
  if (chat.type === 'private') return 'bot';
  const bot = store.bot?.groupStatus === 'kicked' ? ', the bot was removed' : ' and the bot';
  return `${store.membersOf(chat.id).length} people${bot}`;
}
