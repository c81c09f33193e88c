import { element } from './element.js';

/**
 * Turns a text and its entities (UTF-16 offsets, as JavaScript counts) into nodes. Entities may nest; one that sticks
 * out of the one around it is cut there. `onCommand` is called with a bot command that was clicked.
 */
export function renderText(text, entities, onCommand) {
  const sorted = entities
    .map((entity) => ({ ...entity, end: entity.offset + entity.length }))
    .sort((a, b) => a.offset - b.offset || b.end - a.end);
  return renderRange({ text, start: 0, end: text.length, entities: sorted, onCommand });
}

const BLOCKS = new Set(['pre', 'blockquote', 'expandable_blockquote']);

function renderRange({ text, start, end, entities, onCommand }) {
  const nodes = [];
  let position = start;
  let rest = entities;
  while (rest.length > 0) {
    const [first, ...others] = rest;
    const from = Math.max(first.offset, position);
    const to = Math.min(first.end, end);
    rest = others;
    if (from >= to) continue;
    const isBlock = BLOCKS.has(first.type);
    if (from > position)
      nodes.push(isBlock ? text.slice(position, from).replace(/\n$/, '') : text.slice(position, from));
    const inside = rest.filter((entity) => entity.offset < to);
    const children = renderRange({ text, start: from, end: to, entities: inside, onCommand });
    nodes.push(renderEntity(first, children, text.slice(from, to), onCommand));
    // A block breaks the line by itself; the line breaks that touch it would show as empty lines.
    position = isBlock && text[to] === '\n' ? to + 1 : to;
    // What sticks out goes on after the end of this one.
    rest = rest.filter((entity) => entity.end > to);
  }
  if (position < end) nodes.push(text.slice(position, end));
  return nodes;
}

const TAGS = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  blockquote: 'blockquote',
  expandable_blockquote: 'blockquote',
};

function renderEntity(entity, children, inner, onCommand) {
  const { type } = entity;
  if (TAGS[type]) return element(TAGS[type], {}, ...children);
  if (type === 'pre')
    return element('pre', { dir: 'ltr', data: { language: entity.language } }, element('code', {}, ...children));
  if (type === 'text_link') return renderLink(entity.url, children);
  if (type === 'url') return renderLink(inner, children);
  if (type === 'email') return element('a', { href: `mailto:${inner}` }, ...children);
  if (type === 'spoiler') return renderSpoiler(children);
  if (type === 'bot_command') {
    return element('button', { type: 'button', class: 'command', on: { click: () => onCommand(inner) } }, ...children);
  }
  return element('span', { class: 'mention' }, ...children);
}

/** Only web links open; anything else is shown and does nothing. */
function renderLink(url, children) {
  const href = /^[a-z]+:/i.test(url) ? url : `http://${url}`;
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return element('span', { class: 'mention' }, ...children);
  return element('a', { href, title: href, target: '_blank', rel: 'noopener noreferrer' }, ...children);
}

function renderSpoiler(children) {
  const node = element(
    'span',
    { class: 'spoiler', role: 'button', tabindex: '0', 'aria-label': 'Hidden text' },
    ...children,
  );
  const reveal = () => {
    node.classList.add('revealed');
    node.removeAttribute('aria-label');
  };
  node.addEventListener('click', reveal);
  node.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') reveal();
  });
  return node;
}
