import { element, icon } from './element.js';
import { isWebLink } from './inline.js';

/** The rows of buttons below a message. */
export function renderKeyboard(rows) {
  return element(
    'div',
    { class: 'keyboard' },
    ...rows.map((row) => element('div', { class: 'keyboard-row' }, ...row.map(renderKey))),
  );
}

/** One button; what it does is in its data. A button that this page cannot follow is shown as disabled. */
export function renderKey(button) {
  const { text, data, url, style, copyText, disabled } = button;
  const label = element('span', { class: 'key-label', dir: 'auto' }, text);
  const attributes = { class: 'key', data: { style, key: `${data ?? url ?? copyText ?? ''}\n${text}` } };
  if (!disabled && url !== undefined && isWebLink(url)) {
    const link = { href: url, title: url, target: '_blank', rel: 'noopener noreferrer' };
    return element('a', { ...attributes, ...link }, label, icon('out'));
  }
  const act = actionOf(button);
  return element(
    'button',
    { type: 'button', ...attributes, disabled: act === null, data: { ...attributes.data, ...act } },
    label,
    copyText === undefined ? null : icon('copy'),
    act?.do === 'press' ? element('span', { class: 'spinner', 'aria-hidden': 'true' }) : null,
  );
}

function actionOf({ data, copyText, disabled }) {
  if (disabled) return null;
  if (copyText !== undefined) return { do: 'copy', value: copyText };
  return data === null ? null : { do: 'press', value: data };
}
