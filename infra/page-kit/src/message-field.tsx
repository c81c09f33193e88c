import type { RefObject, TargetedKeyboardEvent, TextareaHTMLAttributes, VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { Offer } from './suggestions.tsx';

/** True with a keyboard. Phones have no Shift+Enter: there the Enter key breaks the line and the button sends. */
export const HAS_KEYBOARD: boolean = matchMedia('(pointer: fine)').matches;
const MAX_HEIGHT_PX = 180;

interface FieldProps extends Omit<TextareaHTMLAttributes, 'onInput' | 'onKeyDown'> {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly label: string;
  readonly text: string;
  readonly offer: Pick<Offer<unknown>, 'items' | 'selected' | 'handleKey'>;
  readonly onText: (text: string) => void;
  readonly onSubmit: (event: Event) => void;
  /** A key that neither the list of suggestions nor sending takes. */
  readonly onKey?: (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => void;
}

/** The field of a message, as high as its text: Enter sends, Shift+Enter breaks the line, suggestions take their keys first. */
export function MessageField({ field, label, text, offer, onText, onSubmit, onKey, ...attributes }: FieldProps): VNode {
  const isOffering = offer.items.length > 0;
  useLayoutEffect(() => {
    if (!field.current) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${Math.min(field.current.scrollHeight, MAX_HEIGHT_PX)}px`;
  }, [text]);
  const handleKey = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.isComposing) return;
    if (offer.handleKey(event)) event.preventDefault();
    else if (event.key === 'Enter' && !event.shiftKey && HAS_KEYBOARD) onSubmit(event);
    else onKey?.(event);
  };
  return (
    <textarea
      {...attributes}
      ref={field}
      rows={1}
      dir="auto"
      aria-label={label}
      aria-controls={isOffering ? 'suggestions' : undefined}
      aria-activedescendant={isOffering ? `suggestion-${offer.selected}` : undefined}
      autocomplete="off"
      enterkeyhint={HAS_KEYBOARD ? 'send' : 'enter'}
      value={text}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
      onKeyDown={handleKey}
    />
  );
}
