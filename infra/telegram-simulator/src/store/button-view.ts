import type { InlineKeyboardButton } from 'grammy/types';
import type { Keyboard } from './event.ts';

/** A button in the person API. At most one of `data`, `url` and `copyText` is set. */
export interface ButtonView {
  readonly text: string;
  /** Callback data; null for buttons that send nothing. */
  readonly data: string | null;
  readonly url?: string;
  /** Color: danger, success or primary. */
  readonly style?: string;
  /** Text that the client copies. */
  readonly copyText?: string;
  /** True for a button without effect. */
  readonly disabled?: true;
}

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
