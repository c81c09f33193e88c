import { PAGE_COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { say } from '../say.ts';
import { Markdown } from '../text/markdown.tsx';
import { Icon } from '@signalbox/page-kit/icons';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';

function Notice({ props: { text, tone } }: ViewProps<ComponentProps<'Notice'>>): VNode {
  return (
    <div class={`card notice ${tone}`} role="note">
      <Icon name={tone === 'info' ? 'info' : 'warning'} />
      <span class="unseen">{say(`page.notice-${tone}`)}</span>
      <Markdown text={text} />
    </div>
  );
}

export const drawNotice = createRenderer(PAGE_COMPONENTS.Notice, Notice);
