import { badge, byId, element, icon, personAvatar } from './element.js';
import { timeOf } from './time.js';

/** Draws the list of people and the chats of the one who is speaking. */
export function renderSidebar({ store, current, onChoose }) {
  byId('people').replaceChildren(
    ...store.people.map((person) =>
      element(
        'li',
        {},
        element(
          'button',
          {
            class: 'row person',
            'aria-current': person.id === current.person ? 'true' : false,
            on: { click: () => onChoose(person.id, null) },
          },
          personAvatar(person.id, person.name),
          element(
            'span',
            { class: 'row-text' },
            element('span', { class: 'row-title', dir: 'auto' }, person.name),
            element('span', { class: 'row-detail' }, person.role),
          ),
          badge(store.unreadOf(person.id)),
        ),
      ),
    ),
  );
  byId('chats').replaceChildren(
    ...store.chatsOf(current.person).map((chat) => renderChat({ store, current, chat, onChoose })),
  );
  const elsewhere = store.people.reduce((sum, person) => sum + store.unreadOf(person.id), 0);
  const drawerBadge = byId('drawer-badge');
  drawerBadge.hidden = elsewhere === 0;
  drawerBadge.textContent = elsewhere > 99 ? '99+' : String(elsewhere);
  document.title = elsewhere > 0 ? `(${elsewhere}) Signalbox` : 'Signalbox';
}

function renderChat({ store, current, chat, onChoose }) {
  const last = store.messagesOf(chat.id).at(-1);
  return element(
    'li',
    {},
    element(
      'button',
      {
        class: 'row',
        'aria-current': chat.id === current.chat ? 'true' : false,
        on: { click: () => onChoose(current.person, chat.id) },
      },
      chatAvatar(chat),
      element(
        'span',
        { class: 'row-text' },
        element(
          'span',
          { class: 'row-line' },
          element('span', { class: 'row-title' }, chat.title),
          last ? element('time', { class: 'row-time' }, timeOf(last.date)) : null,
        ),
        element('span', { class: 'row-detail', dir: 'auto' }, previewOf(last, chat, current.person)),
      ),
      badge(store.unread(current.person, chat.id)),
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
  const text = last.text.slice(0, 120);
  if (last.from.id === person) return `You: ${text}`;
  return chat.type === 'group' ? `${last.from.name}: ${text}` : text;
}
