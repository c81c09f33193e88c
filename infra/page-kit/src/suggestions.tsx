import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';

/** Suggestions above a message field, and the actions on them. */
export interface SuggestionState<Item> {
  readonly items: readonly Item[];
  readonly selected: number;
  /** Chooses an item, as a press or the Enter key does. */
  readonly choose: (item: Item) => void;
  /** Handles keys that move in the list or choose from it. Returns false for all other keys. */
  readonly handleKey: (event: KeyboardEvent) => boolean;
}

interface SuggestionOptions<Item> {
  /** The text to which the items belong. */
  readonly text: string;
  readonly items: readonly Item[];
  readonly choose: (item: Item) => void;
  /** Inserts the item into the field (Tab key). Returns false when the field already contains it. */
  readonly complete: (item: Item) => boolean;
}

/** Manages a list of suggestions: Enter chooses one, Tab inserts it, arrows move, Escape closes the list until the text changes. */
export function useSuggestionState<Item>({
  text,
  items: found,
  choose,
  complete,
}: SuggestionOptions<Item>): SuggestionState<Item> {
  // Selection and closing are valid only for the text at which they were set.
  const [moved, setMoved] = useState({ at: text, selected: 0, isClosed: false });
  const { selected, isClosed } = moved.at === text ? moved : { selected: 0, isClosed: false };
  const items = isClosed ? [] : found;
  const handleKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const item = items[selected];
    if (item === undefined || shiftKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) setMoved({ at: text, selected: (selected + step + items.length) % items.length, isClosed });
    else if (key === 'Enter') choose(item);
    else if (key === 'Tab') return complete(item);
    else if (key === 'Escape') setMoved({ at: text, selected, isClosed: true });
    else return false;
    return true;
  };
  return { items, selected, choose, handleKey };
}

interface ListProps<Item> {
  readonly suggestions: SuggestionState<Item>;
  readonly label: string;
  readonly class?: string;
  readonly children: (item: Item) => ComponentChildren;
}

/** The list of suggestions. The message field keeps the focus and handles the keys. */
export function SuggestionList<Item>({ suggestions, label, class: more = '', children }: ListProps<Item>): VNode {
  return (
    <ul class={`suggestions ${more}`} id="suggestions" role="listbox" aria-label={label}>
      {suggestions.items.map((item, place) => (
        <li
          key={place}
          id={`suggestion-${place}`}
          role="option"
          aria-selected={place === suggestions.selected}
          ref={(node) => (place === suggestions.selected ? node?.scrollIntoView({ block: 'nearest' }) : undefined)}
          // Prevents the press from taking the focus from the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => suggestions.choose(item)}
        >
          {children(item)}
        </li>
      ))}
    </ul>
  );
}
