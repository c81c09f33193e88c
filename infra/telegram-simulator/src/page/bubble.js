import { element, icon, personAvatar } from './element.js';
import { renderFiles } from './file-view.js';
import { renderKeyboard } from './keyboard.js';
import { renderReactions } from './reactions.js';
import { renderBlocks } from './rich-blocks.js';
import { renderText } from './rich-text.js';
import { describeService } from './service-line.js';
import { timeOf } from './time.js';

/** Messages of one person closer than this stand together under one name. */
const TOGETHER_SECONDS = 300;

/**
 * Draws one message; the messages of an album are drawn as one. `previous` decides whether it continues the group above
 * it, `nameOf` knows who an id is. Buttons carry what they do in `data-do`, so whoever shows the bubble listens once for
 * all of them.
 */
export function renderBubble({ messages, previous, replied, person, isGroup, nameOf }) {
  const [first] = messages;
  const message = messages.find(({ text }) => text !== '') ?? first;
  const isOwn = first.from.id === person;
  const continues = previous?.from.id === first.from.id && first.date - previous.date < TOGETHER_SECONDS;
  const showsAuthor = isGroup && !isOwn;
  const files = messages.filter(({ file }) => file);
  const isBare = files.length > 0 && message.text === '' && files.every(({ file }) => file.kind === 'photo');
  const bubble = element(
    'div',
    { class: ['bubble', message.rich && 'rich', isBare && 'bare'].filter(Boolean).join(' ') },
    showsAuthor && !continues ? renderAuthor(first.from) : null,
    first.ephemeral ? renderWhisperMark(first.ephemeral, person) : null,
    first.forwardedFrom ? renderOrigin(first.forwardedFrom) : null,
    first.replyTo === null ? null : renderQuote(first.replyTo, replied),
    files.length === 0 ? null : renderFiles(files),
    renderBody(message),
  );
  return element(
    'article',
    {
      class: ['message', isOwn ? 'own' : 'other', continues ? 'continues' : 'starts', first.ephemeral && 'whisper']
        .filter(Boolean)
        .join(' '),
      tabindex: '-1',
      'aria-label': `${isOwn ? 'You' : first.from.name}, ${timeOf(first.date)}`,
      data: { id: String(first.messageId), key: `m${first.messageId}`, also: othersOf(messages) },
    },
    showsAuthor ? renderAvatar(first.from, continues) : null,
    element(
      'div',
      { class: 'column' },
      element('div', { class: 'line' }, bubble, renderTools()),
      message.buttons ? renderKeyboard(message.buttons) : null,
      first.reactions.length === 0 ? null : renderReactions(first.reactions, person, nameOf),
    ),
  );
}

/** The other messages of an album: whoever looks for one of them finds this bubble. */
function othersOf(messages) {
  return messages.length === 1
    ? undefined
    : messages
        .slice(1)
        .map(({ messageId }) => messageId)
        .join(' ');
}

/** The words of a message, plain or rich, with its time. */
function renderBody(message) {
  const { rich, text, entities } = message;
  if (rich) {
    const direction = rich.is_rtl ? 'rtl' : undefined;
    const blocks = element('div', { class: 'text blocks', dir: direction }, ...renderBlocks(rich.blocks));
    return element('div', { class: 'body' }, blocks, renderMeta(message));
  }
  const words = text === '' ? null : element('span', { class: 'text' }, ...renderText(text, entities));
  return element('div', { class: 'body', dir: 'auto' }, words, renderMeta(message));
}

function renderMeta(message) {
  return element(
    'span',
    { class: 'meta', dir: 'ltr' },
    message.editedAt === null ? null : element('span', { class: 'edited' }, 'edited'),
    element('time', {}, timeOf(message.date)),
  );
}

function renderAuthor(from) {
  const hue = from.isBot ? 'bot' : String(from.id % 7);
  return element('span', { class: 'author', dir: 'auto', data: { hue } }, from.name);
}

/** Nobody should take it for something that the group has read. */
function renderWhisperMark({ receiverId }, person) {
  const words = receiverId === person ? 'Only you see this' : 'Only you and the bot see this';
  return element('span', { class: 'whisper-mark' }, icon('eye'), words);
}

function renderOrigin({ name }) {
  return element('span', { class: 'origin', dir: 'auto' }, `Forwarded from ${name}`);
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

function renderQuote(id, replied) {
  return element(
    'button',
    { type: 'button', class: 'quote', data: { do: 'jump', value: String(id) } },
    element('strong', { dir: 'auto' }, replied?.from?.name ?? 'Message'),
    element('span', { dir: 'auto' }, summaryOf(replied)),
  );
}

/** A line that stands for a message. */
export function summaryOf(message) {
  if (!message) return 'Earlier message';
  if (message.deleted) return 'Deleted message';
  if (message.service) return describeService(message.service);
  if (message.text !== '') return message.text.slice(0, 160);
  const names = { photo: 'Photo', voice: 'Voice message' };
  return message.file ? (names[message.file.kind] ?? message.file.name) : '';
}

/** Not in the order of the Tab key, which would have to pass hundreds: the arrow keys and Enter do the same. */
function renderTools() {
  const tool = (name, label) =>
    element(
      'button',
      {
        type: 'button',
        class: 'icon-button tool',
        tabindex: '-1',
        'aria-label': label,
        title: label,
        data: { do: name },
      },
      icon(name),
    );
  return element('span', { class: 'tools' }, tool('reply', 'Reply'), tool('menu', 'More'));
}
