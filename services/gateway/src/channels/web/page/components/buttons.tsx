import type { VNode } from 'preact';
import { say } from '../say.ts';
import { useChat } from '../state/context.ts';
import { Icon } from '@signalbox/page-kit/icons';

interface ButtonsProps {
  readonly id: string;
  readonly version: string;
  readonly buttons: readonly { readonly label: string }[];
  readonly pressed: number | null;
}

/** A component's buttons. A press marks the pressed one and makes all inactive, but focusable, unlike disabled buttons. */
export function Buttons({ id, version, buttons, pressed }: ButtonsProps): VNode | null {
  const chat = useChat();
  const chosen = pressed ?? chat.pending.pressOf(id);
  if (buttons.length === 0) return null;
  const press = (place: number): void => {
    if (chosen === null) chat.press({ id, version }, place);
  };
  return (
    <div class="buttons">
      {buttons.map(({ label }, place) => (
        <button
          key={place}
          type="button"
          class={`choice ${place === chosen ? 'chosen' : ''}`}
          aria-disabled={chosen !== null}
          dir="auto"
          onClick={() => press(place)}
        >
          {place === chosen && <Icon name="check" />}
          {label}
          {place === chosen && <span class="unseen">{say('page.chosen')}</span>}
        </button>
      ))}
    </div>
  );
}
