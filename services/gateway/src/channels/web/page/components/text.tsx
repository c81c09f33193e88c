import { PAGE_COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { Markdown } from '../text/markdown.tsx';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';

function Text({ props: { text } }: ViewProps<ComponentProps<'Text'>>): VNode {
  return <Markdown text={text} />;
}

export const drawText = createRenderer(PAGE_COMPONENTS.Text, Text);
