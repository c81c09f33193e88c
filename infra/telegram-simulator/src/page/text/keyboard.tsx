import { isWebLink } from '@signalbox/page-kit/web-link';
import { Icon } from '@signalbox/page-kit/icons';
import { createContext, type VNode } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { ButtonView } from '../../store/button-view.ts';
import { copyText, pressButton } from '../state/actions.ts';
import { usePage, useShownChat } from '../state/context.ts';

/** Id of the message that contains the button. */
export const MessageIdContext = createContext(0);

/** Rows of buttons below a message. */
export function Keyboard({ rows }: { readonly rows: readonly (readonly ButtonView[])[] }): VNode {
  return (
    <div class="keyboard">
      {rows.map((row) => (
        <div class="keyboard-row">
          {row.map((button) => (
            <Key key={`${button.data}\n${button.text}`} button={button} />
          ))}
        </div>
      ))}
    </div>
  );
}

/** A button; disabled when the page does not support its action. */
function Key({ button: { text, data, url, style, copyText: copied, disabled } }: { button: ButtonView }): VNode {
  const [page, shown, messageId] = [usePage(), useShownChat(), useContext(MessageIdContext)];
  const [isBusy, setBusy] = useState(false);
  if (!disabled && url !== undefined && isWebLink(url)) {
    return (
      <a class="key" data-style={style} href={url} title={url} target="_blank" rel="noopener noreferrer">
        <span>{text}</span>
        <Icon name="open" />
      </a>
    );
  }
  const press = async (): Promise<void> => {
    if (copied !== undefined) return void copyText(page, copied);
    if (data === null || isBusy) return;
    setBusy(true);
    await pressButton(page, shown, messageId, data);
    setBusy(false);
  };
  const isDead = disabled === true || (copied === undefined && data === null);
  return (
    <button
      class="key"
      data-style={style}
      data-busy={isBusy || undefined}
      disabled={isDead}
      onClick={() => void press()}
    >
      <span>{text}</span>
      {copied !== undefined && <Icon name="copy" />}
    </button>
  );
}
