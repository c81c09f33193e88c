import type { TargetedKeyboardEvent, TargetedMouseEvent, VNode } from 'preact';
import { usePage } from '../state/context.ts';
import type { SheetView } from '../state/page.ts';
import { Modal } from './modal.tsx';

/** The open panel of choices; a choice closes it. */
export function Sheet({ view }: { readonly view: SheetView }): VNode {
  const page = usePage();
  return (
    <Modal
      kind="sheet"
      label={view.label}
      // The choice may already have opened another panel.
      onClose={() => page.sheet === view && page.change({ sheet: null })}
    >
      <div onKeyDown={moveFocus} onClickCapture={closeFirst}>
        {view.content()}
      </div>
    </Modal>
  );
}

/** Closes before the choice takes effect, which may move the focus. */
function closeFirst({ target, currentTarget }: TargetedMouseEvent<HTMLElement>): void {
  if (target instanceof Element && target.closest('button')) currentTarget.closest('dialog')?.close();
}

function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('.row')];
  const index = items.findIndex((item) => item === document.activeElement);
  items[(index + step + items.length) % items.length]?.focus();
}
