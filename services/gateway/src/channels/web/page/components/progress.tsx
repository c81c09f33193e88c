import { PAGE_COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { say } from '../say.ts';
import { Markdown } from '../text/markdown.tsx';
import { Icon } from '@signalbox/page-kit/icons';
import { Buttons } from './buttons.tsx';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';

function Progress({
  id,
  version,
  props: { text, isDone, buttons, pressed },
}: ViewProps<ComponentProps<'Progress'>>): VNode {
  return (
    <section class={`card progress ${isDone ? 'is-done' : ''}`} aria-busy={!isDone} aria-labelledby={`${id}-title`}>
      <header class="card-head">
        <Icon name={isDone ? 'check' : 'turn'} />
        <h3 id={`${id}-title`}>{say(isDone ? 'page.finished' : 'page.in-progress')}</h3>
      </header>
      <Markdown text={text} />
      <Buttons id={id} version={version} buttons={buttons} pressed={pressed} />
    </section>
  );
}

export const drawProgress = createRenderer(PAGE_COMPONENTS.Progress, Progress);
