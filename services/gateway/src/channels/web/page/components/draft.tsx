import { PAGE_COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { say } from '../say.ts';
import { Markdown } from '../text/markdown.tsx';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';

/** A draft. Screen readers announce only the final text. */
export function DraftBubble({ text }: { readonly text: string }): VNode {
  return (
    <div class="bubble draft" aria-live="off" aria-busy="true">
      <span class="unseen">{say('page.being-written')}</span>
      <Markdown text={text} />
    </div>
  );
}

function Draft({ props: { text } }: ViewProps<ComponentProps<'Draft'>>): VNode {
  return <DraftBubble text={text} />;
}

export const drawDraft = createRenderer(PAGE_COMPONENTS.Draft, Draft);
