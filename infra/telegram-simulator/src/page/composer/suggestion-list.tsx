import type { VNode } from 'preact';
import { Icon } from '../theme/icons.tsx';
import type { Suggestion } from './suggestions.ts';

interface SuggestionListProps {
  readonly items: readonly Suggestion[];
  readonly selected: number;
  readonly onChoose: (item: Suggestion) => void;
}

/** The list above the field. The keys are handled by the field, which keeps the focus. */
export function SuggestionList({ items, selected, onChoose }: SuggestionListProps): VNode {
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
          onClick={() => onChoose(item)}
        >
          <strong>{item.label}</strong>
          <span class="clip" dir="auto">
            {item.detail}
          </span>
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
