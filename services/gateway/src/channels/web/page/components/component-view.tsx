import type { ComponentType } from '@signalbox/contracts/conversation/components';
import type { PageComponent } from '@signalbox/contracts/conversation/frames';
import { Component as Boundary, type ComponentChildren, type VNode } from 'preact';
import { Icon } from '@signalbox/page-kit/icons';
import { drawApproval } from './approval.tsx';
import { drawButton } from './button.tsx';
import { drawDataCard } from './data-card.tsx';
import { drawDraft } from './draft.tsx';
import type { Drawable, ComponentRenderer } from '../drawing/drawer.tsx';
import { drawFiles } from './files.tsx';
import { drawList } from './list.tsx';
import { drawMessage } from './message.tsx';
import { drawNotice } from './notice.tsx';
import { drawProgress } from './progress.tsx';
import { drawReceipts } from './receipts.tsx';
import { drawTable } from './table.tsx';
import { drawText } from './text.tsx';
import { drawTimeline } from './timeline.tsx';
import { say } from '../say.ts';

/** Every component type of the page. A new type needs a file in `components`, its props in the contract, and a line here. */
const DRAWERS: Readonly<Record<ComponentType, ComponentRenderer>> = {
  Message: drawMessage,
  Approval: drawApproval,
  Progress: drawProgress,
  Draft: drawDraft,
  Receipts: drawReceipts,
  Files: drawFiles,
  DataCard: drawDataCard,
  Timeline: drawTimeline,
  Table: drawTable,
  List: drawList,
  Button: drawButton,
  Text: drawText,
  Notice: drawNotice,
};

interface Props {
  readonly component: PageComponent;
}
interface State {
  readonly failed: PageComponent | null;
}

/** Draws a component by type. A component that cannot be drawn becomes an error box, so that the rest of the page is unaffected. */
export class ComponentView extends Boundary<Props, State> {
  override state: State = { failed: null };

  override componentDidCatch(): void {
    this.setState({ failed: this.props.component });
  }

  override render({ component }: Props, { failed }: State): VNode {
    if (failed === component) return <ErrorBox type={component.type} why="broken" />;
    const { id, version, children } = component;
    // A child gets an id of its own, so that it presses no button of the component.
    const drawn = children.map((child, place) => draw({ ...child, id: `${id}#${place}`, version }, null));
    return draw(component, drawn.length === 0 ? null : drawn);
  }
}

function draw(component: Drawable, children: ComponentChildren): VNode {
  const { type } = component;
  if (!isKnown(type)) return <ErrorBox type={type} why="unknown" />;
  return DRAWERS[type](component, children) ?? <ErrorBox type={type} why="broken" />;
}

/** Types come from outside: `constructor` must not count as one. */
function isKnown(type: string): type is ComponentType {
  return Object.hasOwn(DRAWERS, type);
}

/** Shown instead of a component that cannot be drawn, so that nobody misses it. */
function ErrorBox({ type, why }: { readonly type: string; readonly why: 'unknown' | 'broken' }): VNode {
  return (
    <div class="card notice error" role="note">
      <Icon name="warning" />
      <p class="text" dir="auto">
        {say(`page.${why}-part`, { type })}
      </p>
    </div>
  );
}
