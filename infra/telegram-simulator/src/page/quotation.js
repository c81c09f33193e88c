import { element } from './element.js';

/** What fits into the lines that a folded quotation shows anyway. */
const SHORT = { characters: 110, lines: 3 };

/** A quotation that shows its first lines until somebody wants the rest. */
export function renderExpandable(children, credit = null) {
  const text = element('div', { class: 'expandable-text' }, ...children);
  const words = text.textContent;
  const isShort = words.length <= SHORT.characters && words.split('\n').length <= SHORT.lines;
  if (isShort) return element('blockquote', { dir: 'auto' }, ...text.childNodes, credit);
  return element(
    'blockquote',
    { class: 'expandable', dir: 'auto' },
    text,
    credit,
    element(
      'button',
      { type: 'button', class: 'word more', 'aria-expanded': 'false', data: { do: 'expand' } },
      element('span', { class: 'when-closed' }, 'Show more'),
      element('span', { class: 'when-open' }, 'Show less'),
    ),
  );
}
