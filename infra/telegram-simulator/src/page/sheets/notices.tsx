import type { VNode, TargetedKeyboardEvent, TargetedMouseEvent } from 'preact';
import { usePage } from '../state/context.ts';
import { Modal } from './modal.tsx';
import type { SheetView } from '../state/page.ts';

/** Overlays: toasts, alerts of the bot, and the open panel. */
export function Notices(): VNode {
  const page = usePage();
  const { alerts, sheet } = page;
  return (
    <>
      <div class="toasts" role="status" aria-live="polite">
        {page.toasts.entries().map(([id, { text, kind }]) => (
          <p key={id} class={`toast ${kind}`}>
            {text}
          </p>
        ))}
      </div>
      {sheet && <Sheet key={sheet} view={sheet} />}
      {alerts[0] !== undefined && (
        <Modal key={alerts} kind="alert" label={alerts[0]} onClose={() => page.change({ alerts: alerts.slice(1) })}>
          <p>{alerts[0]}</p>
          <form method="dialog">
            <button class="main-button">OK</button>
          </form>
        </Modal>
      )}
    </>
  );
}

/** The open panel of choices; a choice closes it. */
function Sheet({ view }: { readonly view: SheetView }): VNode {
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
