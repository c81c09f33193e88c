/** A button or list row that a person can press. */
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
  /** Text, body or caption; for a template, its name. */
  readonly text: string;
  readonly buttons: readonly ButtonView[];
  /** Button that opens the list; null for messages without a list. */
  readonly listButton: string | null;
  readonly mediaId: string | null;
  readonly fileName: string | null;
  /** Id of the quoted message. */
  readonly replyTo: string | null;
  /** Epoch milliseconds of the simulator's clock. */
  readonly at: number;
  /** Delivery status of a bot's message. */
  readonly status: 'sent' | 'delivered' | 'read' | 'failed' | null;
}

/** A visible event. `seq` only grows. */
export type SimulatorEvent = { readonly seq: number; readonly person: string } & (
  | { readonly kind: 'message' | 'status'; readonly message: MessageView }
  | { readonly kind: 'read' | 'typing'; readonly messageId: string }
  | { readonly kind: 'reaction'; readonly messageId: string; readonly emoji: string }
);

/** A call of the bot, logged after its response. */
export interface LoggedCall {
  readonly seq: number;
  readonly what: string;
  readonly to: string | null;
  readonly body: unknown;
  /** HTTP status; 0 for a dropped connection. */
  readonly status: number;
  /** Meta's error code; null without an error. */
  readonly code: number | null;
  /** Violations of Meta's reference. */
  readonly problems: readonly string[];
}
