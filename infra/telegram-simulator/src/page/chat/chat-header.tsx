import type { TargetedEvent, VNode } from 'preact';
import { openBotSheet } from '../sheets/bot-sheet.tsx';
import { openGroupSheet } from '../sheets/group-sheet.tsx';
import { openPeopleSheet } from '../sheets/people-sheet.tsx';
import { usePage, usePlace } from '../state/context.ts';
import type { Page, Point } from '../state/page.ts';
import type { Place } from '../state/place.ts';
import { Avatar, ChatAvatar } from '../theme/avatar.tsx';
import { Icon } from '../theme/icons.tsx';

/** Whose chat is shown, what the bot does in it, and who speaks. */
export function ChatHeader({ unread }: { readonly unread: number }): VNode {
  const [page, place] = [usePage(), usePlace()];
  const { person, chat } = place;
  const doing = describeAction(page, place);
  const openAbout = chat.type === 'group' ? openGroupSheet : openBotSheet;
  return (
    <header class="chat-header">
      <button
        type="button"
        id="back"
        class="icon-button back"
        aria-label="People and chats"
        onClick={() => page.go({ ...place, isList: true })}
      >
        <Icon name="back" />
        {unread > 0 && <span class="badge">{unread > 99 ? '99+' : unread}</span>}
      </button>
      <div class="chat-title">
        <ChatAvatar chat={chat} />
        <div class="stack">
          <h1>
            <button
              type="button"
              class="about clip"
              aria-haspopup="dialog"
              onClick={(event) => openAbout(page, place, pointBelow(event))}
            >
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
        type="button"
        class="icon-button speaker"
        aria-haspopup="dialog"
        aria-label={`You speak as ${person.name}. Change`}
        title={`You speak as ${person.name}`}
        onClick={(event) => openPeopleSheet(page, place, pointBelow(event))}
      >
        <Avatar from={person} more="small" />
        <span class="speaker-name">{person.name}</span>
      </button>
    </header>
  );
}

function describeAction({ drafts, typing }: Page, { chat, topic }: Place): string | undefined {
  return drafts.of(chat.id) ? 'writing' : typing.of(`${chat.id}/${topic}`)?.replaceAll('_', ' ');
}

function describeChat({ store }: Page, { chat }: Place): string {
  if (chat.type === 'private') return 'bot';
  const count = store.membersOf(chat.id).length;
  const isThere = store.bot?.groupStatus !== 'kicked';
  return isThere ? `${count} people and the bot` : `${count} people, the bot was removed`;
}

function pointBelow({ currentTarget }: TargetedEvent<HTMLElement>): Point {
  const { left: x, bottom: y } = currentTarget.getBoundingClientRect();
  return { x, y };
}
