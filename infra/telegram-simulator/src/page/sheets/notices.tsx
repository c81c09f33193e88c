import type { VNode } from 'preact';
import { usePage } from '../state/context.ts';
import { Modal } from './modal.tsx';
import { Sheet } from './sheet.tsx';

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
