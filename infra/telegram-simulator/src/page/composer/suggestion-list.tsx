import type { RefObject, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { usePage, usePlace } from '../state/context.ts';
import { Icon } from '../theme/icons.tsx';
import { findSuggestions, type Suggestion } from './suggestions.ts';

/** The suggestions that the page shows above the text field, and what a choice of one does. */
interface Offer {
  readonly items: readonly Suggestion[];
  readonly selected: number;
  readonly choose: (item: Suggestion) => void;
  /** Takes the keys that move in the list and choose from it; answers whether it did. */
  readonly handleKey: (event: KeyboardEvent) => boolean;
}

/** Offers what fits what is typed in a field: a command is sent, a name is put into the text. */
export function useSuggestions(field: RefObject<HTMLTextAreaElement | null>): Offer {
  const { writing, commands, store } = usePage();
  const { chat } = usePlace();
  const { text } = writing;
  // Both belong to the text at which they were set.
  const [moved, setMoved] = useState({ at: text, selected: 0, isClosed: false });
  const { selected, isClosed } = moved.at === text ? moved : { selected: 0, isClosed: false };
  const names = chat.type === 'group' ? [{ name: store.bot?.username ?? '', title: store.botName() }] : [];
  const caret = field.current?.selectionStart ?? text.length;
  const items = isClosed ? [] : findSuggestions(text, caret, { commands, names });
  const complete = ({ label, start, end }: Suggestion): void => {
    field.current?.setRangeText(`${label} `, start, end, 'end');
    writing.type(field.current?.value ?? '');
    field.current?.focus();
  };
  const choose = (item: Suggestion): void => (item.isCommand ? void writing.submit(item.label) : complete(item));
  const handleKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const item = items[selected];
    if (!item || shiftKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) setMoved({ at: text, selected: (selected + step + items.length) % items.length, isClosed });
    else if (key === 'Enter') choose(item);
    else if (key === 'Tab') complete(item);
    else if (key === 'Escape') setMoved({ at: text, selected, isClosed: true });
    else return false;
    return true;
  };
  return { items, selected, choose, handleKey };
}

/** The list above the field. The keys are handled by the field, which keeps the focus. */
export function SuggestionList({ items, selected, choose }: Offer): VNode {
  return (
    <ul class="panel suggestions" id="suggestions" role="listbox" aria-label="Suggestions">
      {items.map((item, index) => (
        <li
          id={`suggestion-${index}`}
          role="option"
          aria-selected={index === selected}
          ref={(node) => (index === selected ? node?.scrollIntoView({ block: 'nearest' }) : undefined)}
          // Before the field loses the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(item)}
        >
          <strong>{item.label}</strong>
          <span class="clip">{item.detail}</span>
          {item.isWhispered && (
            <span class="whispered">
              <Icon name="eye" />
              only you
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
