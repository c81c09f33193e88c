import type { User } from 'grammy/types';
import { type ButtonView, toButtonViews } from './button-view.ts';
import { toSender } from './chat-shapes.ts';
import type { StoredMessage } from './event.ts';
import { type FileView, toFileView } from './file-shapes.ts';
import type { SimulatorState } from './state.ts';

/** A message in the person API, with the ids and times of the stored message. */
export interface MessageView extends Omit<StoredMessage, 'fromId' | 'fileId' | 'forward' | 'keyboard' | 'editDate'> {
  readonly from: { readonly id: number; readonly name: string; readonly isBot: boolean };
  /** The attached file; null without one. */
  readonly file: FileView | null;
  /** Original author of a forwarded message; null otherwise. */
  readonly forwardedFrom: { readonly id: number; readonly name: string } | null;
  readonly buttons: readonly (readonly ButtonView[])[] | null;
  /** In Unix seconds. */
  readonly editedAt: number | null;
}

export function toMessageView(state: SimulatorState, bot: User, message: StoredMessage): MessageView {
  const { fromId, fileId, forward, keyboard, editDate, ...same } = message;
  const sender = toSender(state, bot, fromId);
  const file = fileId === null ? undefined : state.files.get(fileId);
  return {
    ...same,
    from: { id: sender.id, name: sender.first_name, isBot: sender.is_bot },
    file: file ? toFileView(file) : null,
    forwardedFrom: forward && { id: forward.fromId, name: toSender(state, bot, forward.fromId).first_name },
    buttons: keyboard && toButtonViews(keyboard),
    editedAt: editDate,
  };
}
