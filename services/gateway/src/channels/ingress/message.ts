import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';

/** One message as a program gets it, pushed or read. */
export interface ProgramMessage {
  /** Ours, and unlike that of any other message. A change of a message has the id of its own and `replaces` the one that it changes. */
  readonly id: string;
  /** ISO time at which it was written. */
  readonly at: string;
  /** Markdown. */
  readonly text: string;
  /** What `press` may name, by its index. */
  readonly buttons: readonly { readonly index: number; readonly label: string }[];
  /** False while it says how far something is: it will be changed. */
  readonly final: boolean;
  /** The message that this one takes the place of. */
  readonly replaces?: string;
  /** A line of the gateway about the message. */
  readonly notice?: string;
  /** What really happened, as the runtime recorded it; no text can forge these. */
  readonly receipts?: readonly { readonly what: string; readonly note: string }[];
  /** The names of files that people get with it. */
  readonly files?: readonly string[];
}

type Words = Pick<ProgramMessage, 'text' | 'buttons' | 'receipts' | 'files'>;

/** What of a message is the same however it is brought. Buttons that decide, and those that end something, are for people. */
export function wordsOf({ text, buttons, receipts = [], files = [] }: OutboundBody): Words {
  return {
    text,
    buttons: buttons.flatMap(({ label, act, ends }, index) =>
      act === undefined && ends === undefined ? [{ index, label }] : [],
    ),
    ...(receipts.length > 0 ? { receipts: receipts.map(({ what, note }) => ({ what, note })) } : {}),
    ...(files.length > 0 ? { files: files.map(({ name }) => name) } : {}),
  };
}
