import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface ModalProps {
  readonly kind: 'sheet' | 'alert';
  readonly label: string;
  /** Is called once it was closed: by Escape, by the back button, by a press outside or by what is in it. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A panel over the page. When it closes, the focus goes back to where it was. */
export function Modal({ kind, label, onClose, children }: ModalProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      class={kind}
      aria-label={label}
      ref={dialog}
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      {children}
    </dialog>
  );
}
