import type { InlineKeyboardButton } from 'grammy/types';
import type { Keyboard } from './event.ts';

/** A button below a message as the person API shows it. At most one of data, url and copyText says what it does. */
export interface ButtonView {
  readonly text: string;
  /** The callback data; null for buttons that send nothing to the bot. */
  readonly data: string | null;
  readonly url?: string;
  /** danger, success or primary: how it is colored. */
  readonly style?: string;
  /** What the client copies when it is pressed. */
  readonly copyText?: string;
  /** It is shown and does nothing. */
  readonly disabled?: true;
}

/** The rows of a keyboard as the person API shows them. */
export function toButtonViews(keyboard: Keyboard): ButtonView[][] {
  return keyboard.map((row) => row.map(toButtonView));
}

function toButtonView(button: InlineKeyboardButton): ButtonView {
  return {
    text: button.text,
    data: 'callback_data' in button ? button.callback_data : null,
    ...('url' in button ? { url: button.url } : {}),
    ...(button.style === undefined ? {} : { style: button.style }),
    ...('copy_text' in button ? { copyText: button.copy_text.text } : {}),
    ...('disabled' in button ? { disabled: true as const } : {}),
  };
}
