import type { RefObject, TargetedKeyboardEvent, TextareaHTMLAttributes, VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { SuggestionState } from './suggestions.tsx';

/** True on a device with a keyboard. Phones have no Shift+Enter, so there Enter inserts a line break and only the button sends. */
export const HAS_KEYBOARD: boolean = matchMedia('(pointer: fine)').matches;
const MAX_HEIGHT_PX = 180;

interface FieldProps extends Omit<TextareaHTMLAttributes, 'onInput' | 'onKeyDown'> {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly label: string;
  readonly text: string;
  readonly suggestions: Pick<SuggestionState<unknown>, 'items' | 'selected' | 'handleKey'>;
  readonly onText: (text: string) => void;
  readonly onSubmit: (event: Event) => void;
  /** Called for keys that neither the suggestions nor sending handle. */
  readonly onKey?: (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => void;
}

/** The text field of a message, which grows with its text. Enter sends, Shift+Enter inserts a line break; suggestions handle keys first. */
export function MessageField({
  field,
  label,
  text,
  suggestions,
  onText,
  onSubmit,
  onKey,
  ...attributes
}: FieldProps): VNode {
  const isOpen = suggestions.items.length > 0;
  useLayoutEffect(() => {
    if (!field.current) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${Math.min(field.current.scrollHeight, MAX_HEIGHT_PX)}px`;
  }, [text]);
  const handleKey = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.isComposing) return;
    if (suggestions.handleKey(event)) event.preventDefault();
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
      aria-controls={isOpen ? 'suggestions' : undefined}
      aria-activedescendant={isOpen ? `suggestion-${suggestions.selected}` : undefined}
      autocomplete="off"
      enterkeyhint={HAS_KEYBOARD ? 'send' : 'enter'}
      value={text}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
      onKeyDown={handleKey}
    />
  );
}
