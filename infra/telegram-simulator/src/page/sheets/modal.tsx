import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface ModalProps {
  readonly kind: 'sheet' | 'alert';
  readonly label: string;
  /** Called after closing by Escape, back button, outside click or content. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal panel; restores the focus when it closes. */
export function Modal({ kind, label, onClose, children }: ModalProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
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
