import type { VNode } from 'preact';
import type { ChatView } from '../../store/chat-shapes.ts';
import type { MessageView } from '../../store/message-view.ts';
import type { PersonView } from '../../people/person-api.ts';
import { formatTime } from '../messages/amounts.ts';
import { summarizeMessage } from '../messages/summary.ts';
import { usePage, useShownChat } from '../state/context.ts';
import { Avatar, Badge, ChatAvatar } from '../theme/avatar.tsx';
import { Row } from '../theme/row.tsx';

/** People, and the chats of the current person. */
export function Sidebar(): VNode {
  const { store } = usePage();
  const { person } = useShownChat();
  return (
    <aside class="sidebar" aria-label="People and chats">
      <header class="bar">
        <Avatar from={{ id: 0, name: 'Signalbox', isBot: true }} />
        <div class="stack">
          <strong>Signalbox</strong>
          <span class="dim">Simulated Telegram</span>
        </div>
      </header>
      <nav class="lists" aria-label="People and chats">
        <h2 id="people-title">Speak as</h2>
        <ul class="people" aria-labelledby="people-title">
          {store.people.map((one) => (
            <PersonRow key={one.id} person={one} />
          ))}
        </ul>
        <h2 id="chats-title">Chats</h2>
        <ul class="chats" aria-labelledby="chats-title">
          {store.chatsOf(person.id).map((chat) => (
            <ChatRow key={chat.id} chat={chat} />
          ))}
        </ul>
      </nav>
      <p class="dim sidebar-note">You are everyone here. Messages go to the bot, not to Telegram.</p>
    </aside>
  );
}

function PersonRow({ person }: { readonly person: PersonView }): VNode {
  const [page, shown] = [usePage(), useShownChat()];
  const { id, name, role, blocked } = person;
  const [chat = shown.chat] = page.store.chatsOf(id);
  // On a phone the list stays open to select a chat of this person.
  const go = (): void => page.go({ person, chat, topic: null, isList: true });
  const detail = blocked ? `${role}, blocked the bot` : role;
  const isCurrent = id === shown.person.id;
  return (
    <li>
      <Row picture={<Avatar from={person} />} title={name} detail={detail} isCurrent={isCurrent} onPress={go}>
        <Badge count={page.store.unreadOf(id)} />
      </Row>
    </li>
  );
}

function ChatRow({ chat }: { readonly chat: ChatView }): VNode {
  const [page, { person, chat: current }] = [usePage(), useShownChat()];
  const { store } = page;
  const last = store.messagesOf(person.id, chat.id).at(-1);
  const title = (
    <>
      <span class="clip">{store.titleOf(chat)}</span> {last && <time class="dim">{formatTime(last.date)}</time>}
    </>
  );
  return (
    <li>
      <Row
        picture={<ChatAvatar chat={chat} />}
        title={title}
        detail={last ? previewOf(last, chat, person) : 'No messages yet'}
        isCurrent={chat.id === current.id}
        onPress={() => page.go({ person, chat, topic: null, isList: false })}
      >
        <Badge count={store.unread(person.id, chat.id)} />
      </Row>
    </li>
  );
}

function previewOf(last: MessageView, { type }: ChatView, person: PersonView): string {
  if (last.from.id === person.id) return `You: ${summarizeMessage(last)}`;
  return type === 'group' ? `${last.from.name}: ${summarizeMessage(last)}` : summarizeMessage(last);
}
