import { element } from './element.js';
import { buildEntityTree } from './entity-tree.js';

/** Draws a text with its entities. `onCommand` is called with a bot command that was clicked. */
export function renderText(text, entities, onCommand) {
  return renderNodes(buildEntityTree(text, entities), onCommand);
}

function renderNodes(nodes, onCommand) {
  return nodes.map((node) => (typeof node === 'string' ? node : renderNode(node, onCommand)));
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

function renderNode({ entity, text, children: inner }, onCommand) {
  const children = renderNodes(inner, onCommand);
  const { type } = entity;
  if (TAGS[type]) return element(TAGS[type], {}, ...children);
  if (type === 'pre') {
    return element('pre', { dir: 'ltr', data: { language: entity.language } }, element('code', {}, ...children));
  }
  if (type === 'text_link') return renderLink(entity.url, children);
  if (type === 'url') return renderLink(text, children);
  if (type === 'spoiler') return renderSpoiler(children);
  if (type === 'bot_command') {
    return element('button', { type: 'button', class: 'command', on: { click: () => onCommand(text) } }, ...children);
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
  const attributes = { class: 'spoiler', role: 'button', tabindex: '0', 'aria-label': 'Hidden text' };
  const node = element('span', attributes, ...children);
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
