/** A button, or a row of a list, that a person can press. */
export interface ButtonView {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
}

/** A message as a person sees it. */
export interface MessageView {
  readonly id: string;
  readonly person: string;
  readonly fromBot: boolean;
  readonly type: string;
  /** The words: a text, a body or a caption; of a template, its name. */
  readonly text: string;
  readonly buttons: readonly ButtonView[];
  /** What opens the list; null for reply buttons and for none. */
  readonly listButton: string | null;
  readonly mediaId: string | null;
  readonly fileName: string | null;
  /** The message that it answers. */
  readonly replyTo: string | null;
  /** Epoch milliseconds on the simulator's clock. */
  readonly at: number;
  /** How far a message of the bot has come. */
  readonly status: 'sent' | 'delivered' | 'read' | 'failed' | null;
}

/** Something that a person, or a test, can see. `seq` only grows. */
export type SimulatorEvent = { readonly seq: number; readonly person: string } & (
  | { readonly kind: 'message' | 'status'; readonly message: MessageView }
  | { readonly kind: 'read' | 'typing'; readonly messageId: string }
  | { readonly kind: 'reaction'; readonly messageId: string; readonly emoji: string }
);

/** A call of the bot, written down when it was answered. */
export interface Call {
  readonly seq: number;
  readonly what: string;
  readonly to: string | null;
  readonly body: unknown;
  /** The HTTP status; 0 when the connection was dropped. */
  readonly status: number;
  /** The code of Meta's error; null when there is none. */
  readonly code: number | null;
  /** What the reference does not allow. */
  readonly problems: readonly string[];
}
