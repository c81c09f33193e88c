import type { ComponentChildren, TargetedMouseEvent, VNode } from 'preact';

interface RowProps {
  readonly picture: VNode;
  readonly title: ComponentChildren;
  readonly detail?: string;
  readonly isCurrent?: boolean;
  readonly kind?: 'danger' | undefined;
  /** Content at the end of the row. */
  readonly children?: ComponentChildren;
  readonly onPress: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
}

/** A pressable row of a list or panel. */
export function Row({ picture, title, detail, isCurrent, kind, children, onPress }: RowProps): VNode {
  return (
    <button class={`row ${kind ?? ''}`} aria-current={isCurrent} onClick={onPress}>
      {picture}
      <span class="stack">
        <span class="row-title">{title}</span>
        {detail && <span class="dim clip">{detail}</span>}
      </span>
      {children}
    </button>
  );
}
