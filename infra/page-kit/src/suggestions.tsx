import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';

/** The suggestions above a message field, and what a choice of one does. */
export interface Offer<Item> {
  readonly items: readonly Item[];
  readonly selected: number;
  /** Takes the item as a press of it or the Enter key does. */
  readonly choose: (item: Item) => void;
  /** Handles the keys that move in the list and choose from it; false: the key is not for the list. */
  readonly handleKey: (event: KeyboardEvent) => boolean;
}

interface OfferOptions<Item> {
  /** The text that the items were found for. */
  readonly text: string;
  readonly items: readonly Item[];
  readonly choose: (item: Item) => void;
  /** Puts the item into the field (the Tab key); false: it is there already. */
  readonly complete: (item: Item) => boolean;
}

/** Offers items: Enter chooses one, Tab completes it, the arrows move, and Escape closes the list until the text changes. */
export function useOffer<Item>({ text, items: found, choose, complete }: OfferOptions<Item>): Offer<Item> {
  // Both belong to the text at which they were set.
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
  readonly offer: Offer<Item>;
  readonly label: string;
  readonly class?: string;
  readonly children: (item: Item) => ComponentChildren;
}

/** The list above the field. The field handles its keys and keeps the focus. */
export function SuggestionList<Item>({ offer, label, class: more = '', children }: ListProps<Item>): VNode {
  return (
    <ul class={`suggestions ${more}`} id="suggestions" role="listbox" aria-label={label}>
      {offer.items.map((item, place) => (
        <li
          key={place}
          id={`suggestion-${place}`}
          role="option"
          aria-selected={place === offer.selected}
          ref={(node) => (place === offer.selected ? node?.scrollIntoView({ block: 'nearest' }) : undefined)}
          // Before the field loses the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => offer.choose(item)}
        >
          {children(item)}
        </li>
      ))}
    </ul>
  );
}
