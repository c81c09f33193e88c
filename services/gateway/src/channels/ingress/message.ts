import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';

/** A message as a program gets it, pushed or polled. */
export interface ProgramMessage {
  /** A change of a message has an id of its own and names the changed message in `replaces`. */
  readonly id: string;
  readonly at: string;
  readonly text: string;
  /** Buttons that an event's `press` may name by index. */
  readonly buttons: readonly { readonly index: number; readonly label: string }[];
  /** False for progress, which will change. */
  readonly final: boolean;
  readonly replaces?: string;
  /** A note of the gateway about the message. */
  readonly notice?: string;
  /** What the runtime recorded as done; no text can forge these. */
  readonly receipts?: readonly { readonly what: string; readonly note: string }[];
  /** Names of the attached files. */
  readonly files?: readonly string[];
}

type MessageContent = Pick<ProgramMessage, 'text' | 'buttons' | 'receipts' | 'files'>;

/** The content of a message, without buttons that decide or end something: those are for people. */
export function toContent({ text, buttons, receipts = [], files = [] }: OutboundBody): MessageContent {
  return {
    text,
    buttons: buttons.flatMap(({ label, act, ends, incident }, index) =>
      act === undefined && ends === undefined && incident === undefined ? [{ index, label }] : [],
    ),
    ...(receipts.length > 0 ? { receipts: receipts.map(({ what, note }) => ({ what, note })) } : {}),
    ...(files.length > 0 ? { files: files.map(({ name }) => name) } : {}),
  };
}
