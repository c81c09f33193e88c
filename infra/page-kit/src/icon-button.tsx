import type { ButtonHTMLAttributes, VNode } from 'preact';
import { Icon, type IconName } from './icons.tsx';

interface IconButtonProps extends Omit<ButtonHTMLAttributes, 'class'> {
  readonly icon: IconName;
  readonly label: string;
  /** A further CSS class of the button. */
  readonly kind?: string;
}

/** A round button with an icon; `label` names it to screen readers. */
export function IconButton({ icon, label, kind = '', ...attributes }: IconButtonProps): VNode {
  return (
    <button {...attributes} type="button" class={`icon-button ${kind}`} aria-label={label}>
      <Icon name={icon} />
    </button>
  );
}
