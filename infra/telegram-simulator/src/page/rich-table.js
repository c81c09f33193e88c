import { element } from './element.js';
import { renderRichText, wordsOf } from './rich-inline.js';

/** Draws a table. One that is wider than its bubble scrolls inside of it, with the keyboard too. */
export function renderTable({ cells, caption, is_bordered: isBordered, is_striped: isStriped, is_compact: isCompact }) {
  const style = { bordered: isBordered, striped: isStriped, compact: isCompact };
  const classes = ['table', ...Object.keys(style).filter((name) => style[name])];
  const headCount = cells.findIndex((row) => row.length === 0 || row.some((cell) => !cell.is_header));
  const head = cells.slice(0, headCount === -1 ? 1 : headCount);
  const body = cells.slice(head.length);
  const renderRows = (rows, scope) =>
    rows.map((row) => element('tr', {}, ...row.map((cell) => renderCell(cell, scope))));
  return element(
    'div',
    { class: classes.join(' '), role: 'region', tabindex: '0', 'aria-label': wordsOf(caption) || 'Table' },
    element(
      'table',
      {},
      caption === undefined ? null : element('caption', { dir: 'auto' }, ...renderRichText(caption)),
      head.length === 0 ? null : element('thead', {}, ...renderRows(head, 'col')),
      element('tbody', {}, ...renderRows(body, 'row')),
    ),
  );
}

function renderCell(cell, scope) {
  const { colspan, rowspan, align, valign } = cell;
  const attributes = { class: `align-${align} valign-${valign}`, colspan, rowspan };
  return element(
    cell.is_header ? 'th' : 'td',
    { ...attributes, scope: cell.is_header ? scope : undefined },
    element('div', { class: 'cell', dir: 'auto' }, ...renderRichText(cell.text)),
  );
}
