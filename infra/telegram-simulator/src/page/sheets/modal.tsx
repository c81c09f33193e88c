import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface ModalProps {
  readonly kind: 'sheet' | 'alert';
  readonly label: string;
  /** Is called once it was closed: by Escape, by the back button, by a press outside or by what is in it. */
  readonly onClose: () => void;
  /** Is called when it opens. */
  readonly onOpen?: (dialog: HTMLDialogElement) => void;
  readonly children: ComponentChildren;
}

/** A panel over the page. When it closes, the focus goes back to where it was. */
export function Modal({ kind, label, onClose, onOpen, children }: ModalProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    if (dialog.current) onOpen?.(dialog.current);
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
