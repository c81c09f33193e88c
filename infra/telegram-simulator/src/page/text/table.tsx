import type { RichBlockTable, RichBlockTableCell } from 'grammy/types';
import type { VNode } from 'preact';
import { renderRichText } from './rich-text.tsx';

/** A table that scrolls inside its bubble when it is too wide, also by keyboard. */
export function Table({ block }: { readonly block: RichBlockTable }): VNode {
  const { cells } = block;
  const first = cells.findIndex((row) => row.some((cell) => !cell.is_header));
  const head = cells.slice(0, first === -1 ? 1 : first);
  return (
    <div class={block.is_bordered ? 'table bordered' : 'table'} role="region" tabIndex={0} aria-label="Table">
      <table>
        {head.length > 0 && <thead>{renderRows(head, 'col')}</thead>}
        <tbody>{renderRows(cells.slice(head.length), 'row')}</tbody>
      </table>
    </div>
  );
}

function renderRows(rows: readonly (readonly RichBlockTableCell[])[], scope: 'col' | 'row'): VNode[] {
  return rows.map((row) => (
    <tr>
      {row.map(({ is_header: isHeader, text, align, valign, colspan, rowspan }) => {
        const Cell = isHeader ? 'th' : 'td';
        return (
          <Cell
            class={`align-${align} valign-${valign}`}
            colSpan={colspan}
            rowSpan={rowspan}
            scope={isHeader ? scope : undefined}
          >
            <div class="cell">{renderRichText(text)}</div>
          </Cell>
        );
      })}
    </tr>
  ));
}
