import { PAGE_COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { InlineMarkdown } from '../text/markdown.tsx';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';

function List({ props: { title, items, isOrdered } }: ViewProps<ComponentProps<'List'>>): VNode {
  const drawn = items.map((item, place) => (
    <li key={place} dir="auto">
      <InlineMarkdown text={item} />
    </li>
  ));
  return (
    <section class="card">
      {title !== null && <h3 dir="auto">{title}</h3>}
      <div class="text">{isOrdered ? <ol>{drawn}</ol> : <ul>{drawn}</ul>}</div>
    </section>
  );
}

export const drawList = createRenderer(PAGE_COMPONENTS.List, List);
