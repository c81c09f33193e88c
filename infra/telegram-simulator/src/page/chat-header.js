import { byId, element, personAvatar } from './element.js';
import { chatAvatar } from './sidebar.js';

/** Draws whose chat is shown and who speaks in it. */
export function renderHeader({ person, chat }) {
  byId('chat-avatar').replaceWith(Object.assign(chatAvatar(chat), { id: 'chat-avatar' }));
  byId('about').textContent = chat.title;
  const avatar = personAvatar(person.id, person.name);
  avatar.classList.add('small');
  byId('speaker').replaceChildren(avatar, element('span', { class: 'speaker-name' }, person.name));
  byId('speaker').setAttribute('aria-label', `You speak as ${person.name}. Change`);
  byId('speaker').title = `You speak as ${person.name}`;
}

/** Says below the name what the bot does, or what kind of chat this is. */
export function renderStatus(chat, { action, isDrafting }) {
  const doing = isDrafting ? 'writing' : action?.replaceAll('_', ' ');
  const still = chat.type === 'group' ? 'the bot reads commands, mentions, replies' : 'bot';
  const status = byId('chat-status');
  status.textContent = doing ? `${doing}…` : still;
  status.classList.toggle('active', Boolean(doing));
  byId('typing').hidden = !action || isDrafting;
}
