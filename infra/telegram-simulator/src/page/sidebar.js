import { summaryOf } from './bubble.js';
import { badge, byId, element, icon, personAvatar } from './element.js';
import { morphChildren } from './morph.js';
import { timeOf } from './time.js';

/** Draws the list of people and the chats of the one who is speaking. */
export function renderSidebar(store, place) {
  morphChildren(
    byId('people'),
    store.people.map((person) => renderPerson(person, store.unreadOf(person.id), person.id === place.person.id)),
  );
  morphChildren(
    byId('chats'),
    store.chatsOf(place.person.id).map((chat) => renderChat(store, place, chat)),
  );
  const unread = store.people.reduce((sum, person) => sum + store.unreadOf(person.id), 0);
  byId('back-badge').hidden = unread === 0;
  byId('back-badge').textContent = unread > 99 ? '99+' : String(unread);
  document.title = unread > 0 ? `(${unread}) Signalbox` : 'Signalbox';
}

function renderPerson(person, unread, isCurrent) {
  return element(
    'li',
    { data: { key: String(person.id) } },
    element(
      'button',
      {
        class: 'row person',
        'aria-current': isCurrent ? 'true' : false,
        data: { person: String(person.id) },
      },
      personAvatar(person.id, person.name),
      element(
        'span',
        { class: 'row-text' },
        element('span', { class: 'row-title', dir: 'auto' }, person.name),
        element('span', { class: 'row-detail' }, person.blocked ? `${person.role}, blocked the bot` : person.role),
      ),
      badge(unread),
    ),
  );
}

function renderChat(store, { person, chat: current }, chat) {
  const last = store.messagesOf(person.id, chat.id).at(-1);
  return element(
    'li',
    { data: { key: `${person.id} ${chat.id}` } },
    element(
      'button',
      {
        class: 'row',
        'aria-current': chat.id === current.id ? 'true' : false,
        data: { chat: String(chat.id) },
      },
      chatAvatar(chat),
      element(
        'span',
        { class: 'row-text' },
        element(
          'span',
          { class: 'row-line' },
          element('span', { class: 'row-title', dir: 'auto' }, store.titleOf(chat)),
          last ? element('time', { class: 'row-time' }, timeOf(last.date)) : null,
        ),
        element('span', { class: 'row-detail', dir: 'auto' }, previewOf(last, chat, person.id)),
      ),
      badge(store.unread(person.id, chat.id)),
    ),
  );
}

/** The picture of a chat. */
export function chatAvatar(chat) {
  const isGroup = chat.type === 'group';
  return element(
    'span',
    { class: 'avatar', 'aria-hidden': 'true', data: { hue: isGroup ? 'group' : 'bot' } },
    icon(isGroup ? 'group' : 'bot'),
  );
}

function previewOf(last, chat, person) {
  if (!last) return chat.type === 'group' ? 'Nobody wrote yet' : 'Say hello';
  const text = summaryOf(last);
  if (last.from.id === person) return `You: ${text}`;
  return chat.type === 'group' ? `${last.from.name}: ${text}` : text;
}
