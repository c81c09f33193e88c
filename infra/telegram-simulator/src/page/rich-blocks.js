import { renderCode } from './code-block.js';
import { element, icon } from './element.js';
import { renderKey } from './keyboard.js';
import { renderExpandable } from './quotation.js';
import { readRichButton, renderRichText } from './rich-inline.js';
import { renderTable } from './rich-table.js';

/** Draws the blocks of a rich message. What a bot wrote only ever becomes text nodes. */
export function renderBlocks(blocks) {
  return blocks.map(renderBlock);
}

function renderBlock(block) {
  const text = () => renderRichText(block.text);
  switch (block.type) {
    case 'heading':
      // Below the name of the chat, which is the first level of the page.
      return element(
        `h${Math.min(block.size + 1, 6)}`,
        { class: `heading size-${block.size}`, dir: 'auto' },
        ...text(),
      );
    case 'pre':
      return renderCode(text(), block.language);
    case 'footer':
      return element('p', { class: 'footer', dir: 'auto' }, ...text());
    case 'divider':
      return element('hr', {});
    case 'mathematical_expression':
      return element('div', { class: 'math-block', dir: 'ltr' }, element('code', { class: 'math' }, block.expression));
    case 'anchor':
      return element('span', { data: { anchor: block.name } });
    case 'list':
      return renderList(block.items);
    case 'blockquote':
      return element('blockquote', { dir: 'auto' }, ...renderBlocks(block.blocks), renderCredit(block.credit));
    case 'expandable_blockquote':
      return renderExpandable(text(), renderCredit(block.credit));
    case 'pullquote':
      return element('blockquote', { class: 'pullquote', dir: 'auto' }, ...text(), renderCredit(block.credit));
    case 'table':
      return renderTable(block);
    case 'details':
      return renderDetails(block);
    case 'buttons':
      return element(
        'div',
        { class: `block-buttons align-${block.align ?? 'left'}` },
        ...block.buttons.map((button) => renderKey(readRichButton(button))),
      );
    case 'thinking':
      return element('p', { class: 'thinking', dir: 'auto' }, ...text());
    default:
      return element('p', { dir: 'auto' }, ...text());
  }
}

function renderList(items) {
  const isOrdered = items.some((item) => item.value !== undefined);
  const isTasks = items.some((item) => item.has_checkbox);
  return element(
    isOrdered ? 'ol' : 'ul',
    // Without markers of the browser some readers would not call it a list any more.
    { class: isTasks ? 'list tasks' : 'list', role: 'list' },
    ...items.map((item) =>
      element('li', {}, renderMark(item), element('div', { class: 'item' }, ...renderBlocks(item.blocks))),
    ),
  );
}

function renderMark({ has_checkbox: isTask, is_checked: isDone = false, label }) {
  if (!isTask) return element('span', { class: 'mark' }, label);
  const attributes = { class: 'mark task', role: 'img', 'aria-label': isDone ? 'done' : 'not done' };
  return element('span', { ...attributes, data: { done: isDone ? 'yes' : undefined } }, isDone ? icon('check') : null);
}

function renderDetails({ summary, blocks, is_open: isOpen = false }) {
  return element(
    'details',
    { open: isOpen },
    element('summary', { dir: 'auto' }, element('span', {}, ...renderRichText(summary))),
    element('div', { class: 'details-body' }, ...renderBlocks(blocks)),
  );
}

function renderCredit(credit) {
  return credit === undefined ? null : element('cite', { dir: 'auto' }, ...renderRichText(credit));
}
