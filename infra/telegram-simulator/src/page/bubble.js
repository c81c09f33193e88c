import { element, icon, personAvatar } from './element.js';
import { renderText } from './rich-text.js';
import { timeOf } from './time.js';

/**
 * Draws one message. `previous` decides whether it continues the group above it. `actions` are what a person can do
 * with it: command, click, reply, edit, jump.
 */
export function renderBubble({ message, previous, replied, person, isGroup, actions }) {
  const isOwn = message.from.id === person;
  const continues = previous?.from.id === message.from.id && message.date - previous.date < 300;
  const showsAuthor = isGroup && !isOwn;
  const body = element(
    'div',
    { class: 'bubble' },
    showsAuthor && !continues ? renderAuthor(message.from) : null,
    message.replyTo === null ? null : renderQuote(message.replyTo, replied, actions),
    element(
      'div',
      { class: 'body', dir: 'auto' },
      element('span', { class: 'text' }, ...renderText(message.text, message.entities, actions.command)),
      renderMeta(message),
    ),
  );
  return element(
    'article',
    {
      class: ['message', isOwn ? 'own' : 'other', continues ? 'continues' : 'starts'].join(' '),
      // A tap can focus it, which shows what can be done with it where nothing hovers.
      tabindex: '-1',
      'aria-label': `${isOwn ? 'You' : message.from.name}, ${timeOf(message.date)}`,
      data: { id: String(message.messageId) },
    },
    showsAuthor ? renderAvatar(message.from, continues) : null,
    element(
      'div',
      { class: 'column' },
      element('div', { class: 'line' }, body, renderTools(message, isOwn, actions)),
      message.buttons ? renderButtons(message, actions) : null,
    ),
  );
}

function renderAuthor(from) {
  return element(
    'span',
    { class: 'author', dir: 'auto', data: { hue: from.isBot ? 'bot' : String(from.id % 7) } },
    from.name,
  );
}

function renderAvatar(from, continues) {
  if (continues) return element('span', { class: 'avatar small ghost', 'aria-hidden': 'true' });
  const avatar = personAvatar(from.id, from.name);
  avatar.classList.add('small');
  if (!from.isBot) return avatar;
  avatar.dataset.hue = 'bot';
  avatar.replaceChildren(icon('bot'));
  return avatar;
}

function renderQuote(id, replied, actions) {
  const text = replied && !replied.deleted ? replied.text : 'Deleted message';
  return element(
    'button',
    { type: 'button', class: 'quote', on: { click: () => actions.jump(id) } },
    element('strong', { dir: 'auto' }, replied?.from.name ?? 'Message'),
    element('span', { dir: 'auto' }, text.slice(0, 160)),
  );
}

function renderMeta(message) {
  return element(
    'span',
    { class: 'meta', dir: 'ltr' },
    message.editedAt === null ? null : element('span', { class: 'edited' }, 'edited'),
    element('time', {}, timeOf(message.date)),
  );
}

function renderTools(message, isOwn, actions) {
  const tool = (name, label, run) =>
    element(
      'button',
      {
        type: 'button',
        class: 'icon-button tool',
        'aria-label': label,
        title: label,
        on: { click: () => run(message) },
      },
      icon(name),
    );
  return element(
    'span',
    { class: 'tools' },
    tool('reply', 'Reply', actions.reply),
    isOwn ? tool('edit', 'Edit', actions.edit) : null,
  );
}

function renderButtons(message, actions) {
  return element(
    'div',
    { class: 'keyboard' },
    ...message.buttons.map((row) =>
      element('div', { class: 'keyboard-row' }, ...row.map((button) => renderButton(message, button, actions))),
    ),
  );
}

function renderButton(message, button, actions) {
  const label = element('span', { dir: 'auto' }, button.text);
  if (button.url !== undefined && /^https?:\/\//i.test(button.url)) {
    const link = { href: button.url, title: button.url, target: '_blank', rel: 'noopener noreferrer' };
    return element(
      'a',
      { class: 'key', data: { style: button.style }, ...link },
      label,
      element('span', { class: 'out', 'aria-hidden': 'true' }, '↗'),
    );
  }
  const node = element(
    'button',
    { type: 'button', class: 'key', data: { style: button.style }, disabled: button.data === null },
    label,
  );
  node.addEventListener('click', () => actions.click(message, button, node));
  return node;
}
