import { PAGE_COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import { Fragment, type VNode } from 'preact';
import { InlineMarkdown, Markdown } from '../text/markdown.tsx';
import { Buttons } from './buttons.tsx';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';

function DataCard({
  id,
  version,
  props: { title, text, fields, buttons, pressed },
}: ViewProps<ComponentProps<'DataCard'>>): VNode {
  return (
    <section class="card">
      {title !== null && <h3 dir="auto">{title}</h3>}
      {text !== '' && <Markdown text={text} />}
      <dl class="facts">
        {fields.map(({ label, value }, place) => (
          <Fragment key={place}>
            <dt dir="auto">{label}</dt>
            <dd dir="auto">
              <InlineMarkdown text={value} />
            </dd>
          </Fragment>
        ))}
      </dl>
      <Buttons id={id} version={version} buttons={buttons} pressed={pressed} />
    </section>
  );
}

export const drawDataCard = createRenderer(PAGE_COMPONENTS.DataCard, DataCard);
