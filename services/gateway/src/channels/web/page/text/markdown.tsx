import { Fragment, type VNode, type ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { isWebLink, WebLink } from '@signalbox/page-kit/web-link';
import { type Block, type Table, groupSpans, getText, type InlineText, type Style } from '../../../text/block.ts';
import { cleanText } from '../../../text/clean-text.ts';
import { readBlocks } from '../../../text/document.ts';
import { CommandText } from './command-text.tsx';

/** Renders an agent's markdown with the parser of all channels: HTML stays text, and only web addresses become links. */
export function Markdown({ text, language }: { readonly text: string; readonly language?: string | null }): VNode {
  const blocks = useMemo(() => readBlocks(cleanText(text)), [text]);
  return (
    <div class="text" lang={language ?? undefined}>
      <Blocks blocks={blocks} />
    </div>
  );
}

/** Renders inline markdown, such as a list entry, without paragraph spacing. */
export function InlineMarkdown({ text }: { readonly text: string }): VNode {
  const blocks = useMemo(() => readBlocks(cleanText(text)), [text]);
  const [only] = blocks;
  return blocks.length === 1 && only?.type === 'paragraph' ? <Spans spans={only.text} /> : <Blocks blocks={blocks} />;
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }): VNode {
  return (
    <>
      {blocks.map((block, place) => (
        <Fragment key={place}>{drawBlock(block)}</Fragment>
      ))}
    </>
  );
}

function drawBlock(block: Block): VNode {
  switch (block.type) {
    case 'paragraph':
      return (
        <p dir="auto">
          <Spans spans={block.text} />
        </p>
      );
    case 'heading':
      // The page has headings of its own, so these are two levels lower.
      return (
        <p role="heading" aria-level={Math.min(6, block.size + 2)} class={`heading size-${block.size}`} dir="auto">
          <Spans spans={block.text} />
        </p>
      );
    case 'code':
      return (
        <pre dir="ltr" tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case 'quote':
      return (
        <blockquote dir="auto">
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'divider':
      return <hr />;
    case 'list':
      return <ListBlock items={block.items} />;
    case 'table':
      return <TableBlock table={block} />;
  }
}

function ListBlock({ items }: Pick<Extract<Block, { type: 'list' }>, 'items'>): VNode {
  const drawn = items.map(({ blocks, checked }, place) => (
    <li key={place} dir="auto" class={checked === null ? '' : 'task'}>
      {checked !== null && <input type="checkbox" checked={checked} disabled />}
      <Blocks blocks={blocks} />
    </li>
  ));
  const first = items[0]?.number ?? null;
  return first === null ? <ul>{drawn}</ul> : <ol start={first}>{drawn}</ol>;
}

function TableBlock({ table: { rows, aligns } }: { readonly table: Table }): VNode {
  const [head = [], ...body] = rows;
  return (
    <div class="wide" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th key={column} scope="col" dir="auto" class={`to-${aligns[column] ?? 'start'}`}>
                <Spans spans={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, place) => (
            <tr key={place}>
              {row.map((cell, column) => (
                <td key={column} dir="auto" class={`to-${aligns[column] ?? 'start'}`}>
                  <Spans spans={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Spans({ spans, level = 0 }: { readonly spans: InlineText; readonly level?: number }): VNode {
  return (
    <>
      {groupSpans(spans, level).map(({ style, spans: group }, place) => (
        <Fragment key={place}>
          {style === null ? (
            <CommandText text={getText(group)} />
          ) : (
            drawStyled(style, <Spans spans={group} level={level + 1} />)
          )}
        </Fragment>
      ))}
    </>
  );
}

function drawStyled(style: Style, children: ComponentChildren): VNode {
  switch (style.type) {
    case 'bold':
      return <strong>{children}</strong>;
    case 'italic':
      return <em>{children}</em>;
    case 'strikethrough':
      return <s>{children}</s>;
    case 'underline':
      return <u>{children}</u>;
    case 'code':
      return <code>{children}</code>;
    case 'url':
      return isWebLink(style.url) ? <WebLink url={style.url}>{children}</WebLink> : <>{children}</>;
  }
}
