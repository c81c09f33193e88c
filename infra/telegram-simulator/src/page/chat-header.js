import { byId, element, personAvatar } from './element.js';
import { chatAvatar } from './sidebar.js';

/** Draws whose chat is shown and who speaks in it. */
export function renderHeader(store, { person, chat }) {
  byId('chat-avatar').replaceWith(Object.assign(chatAvatar(chat), { id: 'chat-avatar' }));
  byId('about').textContent = store.titleOf(chat);
  const avatar = personAvatar(person.id, person.name);
  avatar.classList.add('small');
  byId('speaker').replaceChildren(avatar, element('span', { class: 'speaker-name' }, person.name));
  byId('speaker').setAttribute('aria-label', `You speak as ${person.name}. Change`);
  byId('speaker').title = `You speak as ${person.name}`;
}

/** Says below the name what the bot does, or what kind of chat this is. */
export function renderStatus(store, { chat }, { action, isDrafting }) {
  const doing = isDrafting ? 'writing' : action?.replaceAll('_', ' ');
  const status = byId('chat-status');
  status.textContent = doing ? `${doing}…` : describeChat(store, chat);
  status.classList.toggle('active', Boolean(doing));
  byId('typing').hidden = !action || isDrafting;
}

/** Where nobody can write, says why and offers the way out, in the place of the field. */
export function renderBarrier(store, { person, chat, topic }) {
  const closed = store.topicsOf(chat.id).find(({ topicId, isClosed }) => topicId === topic && isClosed);
  const isBlocked = chat.type === 'private' && person.blocked;
  byId('composer').hidden = isBlocked || closed !== undefined;
  byId('barrier').hidden = !isBlocked && closed === undefined;
  byId('barrier-text').textContent = closed
    ? `The topic ${closed.name} is closed.`
    : `${person.name} blocked the bot: neither hears from the other.`;
  byId('barrier-open').textContent = closed ? 'Open it again' : 'Unblock the bot';
}

function describeChat(store, chat) {
  if (chat.type === 'private') return 'bot';
  const count = store.membersOf(chat.id).length;
  const isThere = store.bot.groupStatus !== 'kicked';
  return isThere ? `${count} people and the bot` : `${count} people, the bot was removed`;
}
