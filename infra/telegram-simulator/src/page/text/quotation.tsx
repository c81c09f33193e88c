import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Word } from './inline.tsx';

/** What fits into the lines that a folded quotation shows anyway. */
const SHORT = { characters: 110, lines: 3 };

interface QuotationProps {
  /** The quoted words without their formatting: they decide whether it folds. Without them it does not. */
  readonly words?: string;
  readonly children: ComponentChildren;
}

/** A quotation. A long one shows its first lines until somebody wants the rest. */
export function Quotation({ words = '', children }: QuotationProps): VNode {
  const [isOpen, setOpen] = useState(false);
  const isFolding = words.length > SHORT.characters || words.split('\n').length > SHORT.lines;
  return (
    <blockquote>
      {isFolding ? <div class={isOpen ? '' : 'folded'}>{children}</div> : children}
      {isFolding && (
        <div class="more">
          <Word onPress={() => setOpen(!isOpen)}>{isOpen ? 'Show less' : 'Show more'}</Word>
        </div>
      )}
    </blockquote>
  );
}
