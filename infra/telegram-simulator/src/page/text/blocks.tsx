import { Icon } from '@signalbox/page-kit/icons';
import type { RichBlock, RichBlockListItem, RichBlockTable, RichBlockTableCell } from 'grammy/types';
import type { VNode } from 'preact';
import { CodeBlock } from './code-block.tsx';
import { renderRichText } from './rich-text.tsx';

/** Renders the blocks of a rich message; bot content only becomes text nodes. */
export function Blocks({ blocks }: { readonly blocks: readonly RichBlock[] }): VNode {
  return <>{blocks.map(renderBlock)}</>;
}

function renderBlock(block: RichBlock): VNode {
  switch (block.type) {
    case 'heading': {
      // The chat name is the first heading level of the page.
      const Level = (['h2', 'h3', 'h4', 'h5', 'h6'] as const)[block.size - 1] ?? 'h6';
      return <Level class={`heading size-${block.size}`}>{renderRichText(block.text)}</Level>;
    }
    case 'pre':
      return <CodeBlock language={block.language}>{renderRichText(block.text)}</CodeBlock>;
    case 'divider':
      return <hr />;
    case 'list':
      return renderList(block.items);
    case 'blockquote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'expandable_blockquote':
      return <blockquote>{renderRichText(block.text)}</blockquote>;
    case 'table':
      return <Table block={block} />;
    case 'details':
      return (
        <details open={block.is_open ?? false}>
          <summary>
            <span>{renderRichText(block.summary)}</span>
          </summary>
          <div class="details-body">
            <Blocks blocks={block.blocks} />
          </div>
        </details>
      );
    default: {
      const words = 'text' in block ? renderRichText(block.text) : 'expression' in block && block.expression;
      return <p class={block.type}>{words}</p>;
    }
  }
}

function renderList(items: readonly RichBlockListItem[]): VNode {
  const List = items.some(({ value }) => value !== undefined) ? 'ol' : 'ul';
  return (
    // Without list markers, some screen readers need the role.
    <List class="list" role="list">
      {items.map((item) => (
        <li>
          {renderMark(item)}
          <div class="item">
            <Blocks blocks={item.blocks} />
          </div>
        </li>
      ))}
    </List>
  );
}

function renderMark({ has_checkbox: isTask, is_checked: isDone, label }: RichBlockListItem): VNode {
  if (!isTask) return <span class="mark">{label}</span>;
  return (
    <span class="mark task" role="img" aria-label={isDone ? 'done' : 'not done'} data-done={isDone}>
      {isDone && <Icon name="check" />}
    </span>
  );
}

/** A table that scrolls inside its bubble when it is too wide, also by keyboard. */
function Table({ block }: { readonly block: RichBlockTable }): VNode {
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
