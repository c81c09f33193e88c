import { element } from './element.js';
import { renderAction, renderInline } from './inline.js';
import { renderKey } from './keyboard.js';

/** Draws a RichText of the Bot API: a string, a list of them, or an object around them. Answers nodes and strings. */
export function renderRichText(text) {
  if (text === undefined || text === null) return [];
  if (typeof text === 'string') return text === '' ? [] : [text];
  if (Array.isArray(text)) return text.flatMap(renderRichText);
  return [renderObject(text)];
}

/** The words of a RichText without its formatting. */
export function wordsOf(text) {
  if (text === undefined || text === null) return '';
  if (typeof text === 'string') return text;
  if (Array.isArray(text)) return text.map(wordsOf).join('');
  return text.alternative_text ?? text.expression ?? wordsOf(text.text);
}

function renderObject(value) {
  switch (value.type) {
    case 'button':
      return renderKey(readRichButton(value.button));
    case 'custom_emoji':
      return element('span', {}, value.alternative_text);
    case 'mathematical_expression':
      return element('code', { class: 'math' }, value.expression);
    case 'anchor':
      return element('span', { data: { anchor: value.name } });
    case 'anchor_link':
      return renderAction('anchor', value.anchor_name, renderRichText(value.text));
    case 'reference':
      return element('span', { class: 'reference', data: { anchor: value.name } }, ...renderRichText(value.text));
    case 'reference_link':
      return element('sup', {}, renderAction('anchor', value.reference_name, renderRichText(value.text)));
    default:
      return renderInline(value, wordsOf(value.text), renderRichText(value.text));
  }
}

/** A button of a rich message in the shape of the buttons below a message. */
export function readRichButton(button) {
  return {
    text: wordsOf(button.text),
    data: button.callback_data ?? null,
    url: button.url,
    style: button.style,
    copyText: button.copy_text?.text,
    disabled: button.disabled !== undefined,
  };
}
