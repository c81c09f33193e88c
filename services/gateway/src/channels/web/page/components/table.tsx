import { PAGE_COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { say } from '../say.ts';
import { InlineMarkdown } from '../text/markdown.tsx';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';

/** A table. A wide table scrolls by itself, with the keyboard as well. */
function Table({ props: { title, columns, rows } }: ViewProps<ComponentProps<'Table'>>): VNode {
  return (
    <section class="card">
      {title !== null && <h3 dir="auto">{title}</h3>}
      <div class="wide" role="region" aria-label={title ?? say('page.table')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((column, place) => (
                <th key={place} scope="col" dir="auto">
                  <InlineMarkdown text={column} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at}>
                {columns.map((_, place) => (
                  <td key={place} dir="auto">
                    <InlineMarkdown text={row[place] ?? ''} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export const drawTable = createRenderer(PAGE_COMPONENTS.Table, Table);
