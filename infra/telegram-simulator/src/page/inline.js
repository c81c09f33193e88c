import { element } from './element.js';
import { formatMoment } from './time.js';

/** Formattings that are an element and nothing more, in plain texts and in rich ones. */
const TAGS = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  marked: 'mark',
  subscript: 'sub',
  superscript: 'sup',
};

/**
 * Draws a formatting around its children: `value` is the entity or the rich text with its fields, `text` its words.
 * What nobody knows is shown as its words.
 */
export function renderInline(value, text, children) {
  const { type } = value;
  if (TAGS[type]) return element(TAGS[type], {}, ...children);
  if (type === 'text_link' || (type === 'url' && value.url !== undefined)) return renderLink(value.url, children);
  if (type === 'url') return renderLink(text, children);
  if (type === 'spoiler') return renderSpoiler(children);
  if (type === 'bot_command') return renderAction('command', value.bot_command ?? text, children);
  if (type === 'date_time') return renderMoment(value, children);
  if (type === 'email_address') return element('a', { href: `mailto:${value.email_address}` }, ...children);
  if (type === 'phone_number') return element('a', { href: `tel:${value.phone_number}` }, ...children);
  return element('span', { class: 'mention' }, ...children);
}

/** Words that do something when they are pressed: `name` is the action, `value` what it is done with. */
export function renderAction(name, value, children) {
  return element('button', { type: 'button', class: 'word', data: { do: name, value } }, ...children);
}

/** Only web links open; anything else is shown and does nothing. */
function renderLink(url, children) {
  const href = /^[a-z]+:/i.test(url) ? url : `http://${url}`;
  if (!isWebLink(href)) return element('span', { class: 'mention' }, ...children);
  return element('a', { href, title: href, target: '_blank', rel: 'noopener noreferrer' }, ...children);
}

/** Whether an address may be opened from a text of a chat. */
export function isWebLink(url) {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

function renderSpoiler(children) {
  const attributes = { class: 'spoiler', role: 'button', tabindex: '0', title: 'Show the hidden text' };
  return element('span', { ...attributes, data: { do: 'reveal' } }, ...children);
}

/** Everyone reads a moment in their own time zone; without a format the words of the bot stay. */
function renderMoment({ unix_time: seconds, date_time_format: format = '' }, children) {
  const moment = new Date(seconds * 1000);
  if (Number.isNaN(moment.getTime())) return element('span', {}, ...children);
  const shown = formatMoment(seconds, format);
  const attributes = { class: 'moment', datetime: moment.toISOString(), title: moment.toLocaleString() };
  return element('time', attributes, ...(shown === '' ? children : [shown]));
}
