import { PAGE_COMPONENTS, type ComponentProps } from '@signalbox/contracts/conversation/components';
import type { VNode } from 'preact';
import { Buttons } from './buttons.tsx';
import { createRenderer, type ViewProps } from '../drawing/drawer.tsx';

function SingleButton({ id, version, props: { label, isPressed } }: ViewProps<ComponentProps<'Button'>>): VNode {
  return <Buttons id={id} version={version} buttons={[{ label }]} pressed={isPressed ? 0 : null} />;
}

export const drawButton = createRenderer(PAGE_COMPONENTS.Button, SingleButton);
