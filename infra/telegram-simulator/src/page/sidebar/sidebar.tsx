import type { VNode } from 'preact';
import type { ChatView } from '../../people/chat-shapes.ts';
import type { PersonView } from '../../people/person-api.ts';
import { timeOf } from '../messages/amounts.ts';
import { summaryOf } from '../messages/summary.ts';
import { usePage, usePlace } from '../state/context.ts';
import { Avatar, Badge, ChatAvatar } from '../theme/avatar.tsx';

/** The list of people and the chats of the one who is speaking. */
export function Sidebar(): VNode {
  const { store } = usePage();
  const { person } = usePlace();
  return (
    <aside class="sidebar" aria-label="People and chats">
      <header class="brand">
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
  const [page, place] = [usePage(), usePlace()];
  const { id, name, role, blocked } = person;
  const [chat = place.chat] = page.store.chatsOf(id);
  return (
    <li>
      <button
        type="button"
        class="row person"
        aria-current={id === place.person.id}
        // On a phone the list stays, so that a chat of this person can be chosen.
        onClick={() => page.go({ person, chat, topic: null, isList: true })}
      >
        <Avatar from={person} />
        <span class="stack">
          <span class="row-title clip" dir="auto">
            {name}
          </span>
          <span class="dim clip">{blocked ? `${role}, blocked the bot` : role}</span>
        </span>
        <Badge count={page.store.unreadOf(id)} />
      </button>
    </li>
  );
}

function ChatRow({ chat }: { readonly chat: ChatView }): VNode {
  const [page, place] = [usePage(), usePlace()];
  const { person } = place;
  const last = page.store.messagesOf(person.id, chat.id).at(-1);
  const preview = (): string => {
    if (!last) return chat.type === 'group' ? 'No messages yet' : 'Say hello';
    const author = last.from.id === person.id ? 'You' : last.from.name;
    return author === 'You' || chat.type === 'group' ? `${author}: ${summaryOf(last)}` : summaryOf(last);
  };
  return (
    <li>
      <button
        type="button"
        class="row"
        aria-current={chat.id === place.chat.id}
        onClick={() => page.go({ person, chat, topic: null, isList: false })}
      >
        <ChatAvatar chat={chat} />
        <span class="stack">
          <span class="row-line">
            <span class="row-title clip" dir="auto">
              {page.store.titleOf(chat)}
            </span>
            {last && <time class="dim">{timeOf(last.date)}</time>}
          </span>
          <span class="dim clip" dir="auto">
            {preview()}
          </span>
        </span>
        <Badge count={page.store.unread(person.id, chat.id)} />
      </button>
    </li>
  );
}
