import type { PageSession } from '@signalbox/contracts/conversation/page-session';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { say } from '../say.ts';

type Command = PageSession['commands'][number];

interface Offer {
  readonly items: readonly Command[];
  readonly selected: number;
  readonly choose: (item: Command) => void;
  /** Takes the keys that move in the list and choose from it; answers whether it did. */
  readonly handleKey: (event: KeyboardEvent) => boolean;
}

/** Offers the commands that begin with what is typed: Enter sends one, Tab goes on with it, Escape closes the list. */
export function useSuggestions(
  text: string,
  commands: readonly Command[],
  { onFill, onSend }: { readonly onFill: (text: string) => void; readonly onSend: (text: string) => void },
): Offer {
  // Both belong to the text at which they were set.
  const [moved, setMoved] = useState({ at: text, selected: 0, isClosed: false });
  const { selected, isClosed } = moved.at === text ? moved : { selected: 0, isClosed: false };
  const typed = /^\/(\w*)$/.exec(text)?.[1]?.toLowerCase();
  const items = typed === undefined || isClosed ? [] : commands.filter(({ command }) => command.startsWith(typed));
  const choose = ({ command }: Command): void => onSend(`/${command}`);
  const handleKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const item = items[selected];
    if (!item || shiftKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) setMoved({ at: text, selected: (selected + step + items.length) % items.length, isClosed });
    else if (key === 'Enter') choose(item);
    else if (key === 'Tab' && text !== `/${item.command} `) onFill(`/${item.command} `);
    else if (key === 'Escape') setMoved({ at: text, selected, isClosed: true });
    else return false;
    return true;
  };
  return { items, selected, choose, handleKey };
}

/** The list above the field. The keys are handled by the field, which keeps the focus. */
export function SuggestionList({ items, selected, choose }: Offer): VNode {
  return (
    <ul class="suggestions" id="suggestions" role="listbox" aria-label={say('page.commands')}>
      {items.map((item, place) => (
        <li
          key={item.command}
          id={`suggestion-${place}`}
          role="option"
          aria-selected={place === selected}
          ref={(node) => (place === selected ? node?.scrollIntoView({ block: 'nearest' }) : undefined)}
          // Before the field loses the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(item)}
        >
          <strong>/{item.command}</strong>
          <span class="note">{item.description}</span>
        </li>
      ))}
    </ul>
  );
}
