import { PAGE_COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { say } from '../say.ts';
import { InlineMarkdown } from '../text/markdown.tsx';
import { Icon, type IconName } from '@signalbox/page-kit/icons';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';

/** Each state is shown by a shape and a word, never only by a color. */
const ICONS: Readonly<Record<ComponentProps<'Timeline'>['steps'][number]['state'], IconName>> = {
  waiting: 'ring',
  running: 'turn',
  done: 'check',
  failed: 'cross',
};

function Timeline({ props: { title, steps } }: ViewProps<ComponentProps<'Timeline'>>): VNode {
  return (
    <section class="card">
      {title !== null && <h3 dir="auto">{title}</h3>}
      <ol class="timeline">
        {steps.map(({ label, state, note }, place) => (
          <li key={place} class={state}>
            <Icon name={ICONS[state]} />
            <span dir="auto">
              <InlineMarkdown text={label} />
              {note !== null && (
                <span class="note">
                  {' · '}
                  <InlineMarkdown text={note} />
                </span>
              )}
            </span>
            <span class="state">{say(`page.step-${state}`)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

export const drawTimeline = createRenderer(PAGE_COMPONENTS.Timeline, Timeline);
