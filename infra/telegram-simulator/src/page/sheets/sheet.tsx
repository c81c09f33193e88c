import type { ComponentChildren, TargetedKeyboardEvent, VNode } from 'preact';
import { usePage } from '../state/context.ts';
import type { Point, SheetView } from '../state/page.ts';
import { Icon, type IconName } from '../theme/icons.tsx';
import { Modal } from './modal.tsx';

const MARGIN_PX = 8;

/** The one panel of choices: at a point with a mouse, at the bottom of a phone. */
export function Sheet({ view }: { readonly view: SheetView }): VNode {
  const page = usePage();
  return (
    <Modal
      kind="sheet"
      label={view.label}
      onOpen={(dialog) => placeAt(dialog, view.at)}
      // An item may have opened the next one already.
      onClose={() => page.sheet === view && page.change({ sheet: null })}
    >
      <div onKeyDown={moveFocus}>{view.content()}</div>
    </Modal>
  );
}

interface ItemProps {
  readonly label: string;
  readonly detail?: string;
  readonly drawing: IconName | VNode;
  readonly isDanger?: boolean;
  readonly isCurrent?: boolean;
  /** What stands at its end. */
  readonly children?: ComponentChildren;
  readonly run: () => void;
}

/** A line of a panel that closes it and does something. */
export function SheetItem({ label, detail, drawing, isDanger, isCurrent, children, run }: ItemProps): VNode {
  return (
    <button
      type="button"
      class={isDanger ? 'sheet-item danger' : 'sheet-item'}
      aria-current={isCurrent}
      onClick={({ currentTarget }) => {
        currentTarget.closest('dialog')?.close();
        run();
      }}
    >
      {typeof drawing === 'string' ? <Icon name={drawing} /> : drawing}
      <span class="stack">
        <span dir="auto">{label}</span>
        {detail && <span class="dim">{detail}</span>}
      </span>
      {children}
    </button>
  );
}

function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('.sheet-item')];
  const index = items.findIndex((item) => item === document.activeElement);
  items[(index + step + items.length) % items.length]?.focus();
}

function placeAt(dialog: HTMLElement, { x, y }: Point): void {
  const { width, height } = dialog.getBoundingClientRect();
  const left = Math.min(x, innerWidth - width - MARGIN_PX);
  const top = Math.min(y, innerHeight - height - MARGIN_PX);
  dialog.style.setProperty('--x', `${Math.max(left, MARGIN_PX)}px`);
  dialog.style.setProperty('--y', `${Math.max(top, MARGIN_PX)}px`);
}
