import { element, icon } from './element.js';

/** Draws code with its language and a button that copies it. `children` are its words. */
export function renderCode(children, language) {
  return element(
    'div',
    { class: 'code', dir: 'ltr' },
    element(
      'div',
      { class: 'code-head' },
      element('span', {}, language || 'code'),
      element(
        'button',
        { type: 'button', class: 'code-copy', 'aria-label': 'Copy the code', data: { do: 'copyCode' } },
        icon('copy'),
        element('span', { class: 'copy-word' }, 'Copy'),
      ),
    ),
    element('pre', {}, element('code', {}, ...children)),
  );
}
