import { z } from 'zod';
import { ApprovalCommand } from '../governance/approval.ts';
import { PageMode } from './page-mode.ts';

/** Maximum length of an inbound message's text, in UTF-16 units. Telegram's clients split at 4,096; other channels do not. */
export const MAX_INBOUND_LENGTH = 16_000;

export const ChatKind = z.enum(['private', 'group']);
export type ChatKind = z.infer<typeof ChatKind>;

/** Fields of every inbound envelope. `id`: the idempotency key `<channel>:<bot>:<update id>`. Keys: see chat-key.ts. */
const Base = z.object({
  id: z.string().min(1).max(200),
  channel: z.string().min(1).max(40),
  bot: z.string().min(1).max(80),
  updateId: z.string().min(1).max(120),
  userKey: z.string().min(1).max(120),
  chatKey: z.string().min(1).max(160),
  traceId: z.string().min(1).max(80),
  at: z.iso.datetime(),
});

/** Files per message: a Telegram album has at most ten. */
const MAX_ATTACHMENTS = 10;

/** A reference to a file of a message. Its bytes are fetched on demand. */
export const Attachment = z.object({
  kind: z.enum(['document', 'photo', 'voice', 'audio', 'video']),
  /** The channel's id of the file, for fetching it. */
  ref: z.string().min(1).max(400),
  /** The sender's file name, cleaned; null when the channel gives none. */
  name: z.string().min(1).max(200).nullable(),
  mimeType: z.string().max(120).nullable(),
  sizeBytes: z.int().nonnegative().nullable(),
});
export type Attachment = z.infer<typeof Attachment>;

/** A button under a message. Pressing it sends `value` as the person's message. */
export const Button = z.object({ label: z.string().min(1).max(64), value: z.string().min(1).max(200) });
export type Button = z.infer<typeof Button>;

/** A button for one complete tool call. Only the runtime creates these; a model's buttons have label and value alone. */
export const ActionButton = Button.extend({
  does: z.object({ tool: z.string().min(1).max(120), arguments: z.record(z.string(), z.json()) }).optional(),
});
export type ActionButton = z.infer<typeof ActionButton>;

/** A button as it is sent: its tool call was resolved and hashed, so that a press confirms exactly that call. */
export const OfferedButton = Button.extend({ offer: z.string().length(64).optional() });
export type OfferedButton = z.infer<typeof OfferedButton>;

/** Any event that starts a turn of an agent. */
export const InboundEnvelope = z.discriminatedUnion('kind', [
  Base.extend({
    kind: z.literal('message'),
    chatKind: ChatKind,
    /** The person's display name, as the channel gives it. */
    name: z.string().max(200),
    text: z.string().max(MAX_INBOUND_LENGTH),
    /** The channel's id of the message, for replies. */
    messageId: z.string().max(160).nullable(),
    /** Files sent with the text or without any. Missing when there are none. */
    attachments: z.array(Attachment).min(1).max(MAX_ATTACHMENTS).optional(),
    /** Id shared by the parts of one album, which channels deliver separately and we join again. */
    album: z.string().max(200).optional(),
    /** In a group: only the bot and the sender see the message and its answer. */
    whisper: z.literal(true).optional(),
    /** The text is not the sender's own: forwarded, written by another bot, or containing a quotation. */
    borrowed: z.enum(['forward', 'bot', 'quote']).optional(),
    /** Age at arrival, when above ten minutes, from the channel's date and the database clock. Missing for button presses. */
    ageMs: z.number().nonnegative().optional(),
    /** The text is a voice transcript that the person read and confirmed. */
    spoken: z.literal(true).optional(),
    /** The mode of the web page on which it was written. Missing for other channels. */
    reads: PageMode.optional(),
    /** The outbox row and index of the pressed button; null for typed text. */
    button: z.object({ outboxId: z.string(), index: z.number().int() }).nullable(),
  }),
  /** The person switched the page between voice and text, or desktop and mobile. */
  Base.extend({ kind: z.literal('mode'), ...PageMode.shape }),
  /** A command that must be handled in order with the messages. */
  Base.extend({ kind: z.literal('command'), chatKind: ChatKind, name: z.string().max(200), command: z.literal('new') }),
  /** A job has ended; the agent or a notice reports it to the person. */
  Base.extend({
    kind: z.literal('job-finished'),
    runId: z.string(),
    job: z.string(),
    threadId: z.string().nullable(),
    outcome: z.enum(['done', 'failed']),
    /** One or two sentences for the person. */
    say: z.string().max(4_000),
  }),
  /** A person decided about an approval of this lane, or it expired. */
  Base.extend({
    kind: z.literal('decision'),
    approvalId: z.string(),
    actionId: z.string(),
    threadId: z.string(),
    outcome: z.enum(['approved', 'rejected', 'modified', 'expired']),
  }),
  /** An incident opened or closed at a service or server of this person. Without a conversation, an opened one starts one. */
  Base.extend({
    kind: z.literal('incident'),
    incidentId: z.string().max(40),
    phase: z.enum(['opened', 'closed']),
    /** The project that becomes the conversation's topic; null for a server. */
    project: z.string().max(80).nullable(),
    /** Markdown for the person: measured facts only, no text from outside. */
    say: z.string().min(1).max(4_000),
    /** A log excerpt, shown below the text and marked as foreign. It never enters the conversation's history. */
    quote: z.string().max(400).optional(),
    buttons: z.array(ActionButton).max(6),
  }),
  /** A tool asked to run a graph node of this conversation again. */
  Base.extend({
    kind: z.literal('node'),
    threadId: z.string(),
    node: z.string().min(1).max(80),
    actionId: z.string().max(160),
    /** Id of the message whose turn failed; later messages are ignored. Default: the newest message. */
    about: z.string().max(200).optional(),
    /** For the person: who asked for the rerun. */
    say: z.string().min(1).max(1_000),
  }),
]);
export type InboundEnvelope = z.infer<typeof InboundEnvelope>;
export type MessageEnvelope = Extract<InboundEnvelope, { kind: 'message' }>;

/** The final state of an inbound message, one per inbox row. */
export const InboxOutcome = z.enum(['answered', 'merged', 'refused', 'stopped', 'expired', 'dead-lettered']);
export type InboxOutcome = z.infer<typeof InboxOutcome>;

/** A button created by the runtime. A model's buttons never carry `act` or `offer`. */
export const RuntimeButton = OfferedButton.extend({
  act: ApprovalCommand.optional(),
  /** Run id of a followed log: pressing the button ends it and sends no message. */
  ends: z.string().min(1).max(200).optional(),
});
export type RuntimeButton = z.infer<typeof RuntimeButton>;

/** A file attached to an outbound message. Its bytes are a row of `artifacts`. */
export const OutboundFile = z.object({
  artifactId: z.string().min(1).max(80),
  /** File name shown to the person, without a path. */
  name: z.string().min(1).max(200),
});
export type OutboundFile = z.infer<typeof OutboundFile>;

/** A runtime-generated line: `what` names action and target, `note` the time and the command for details. No markdown. */
export const Receipt = z.object({ what: z.string().min(1).max(200), note: z.string().max(120) });
export type Receipt = z.infer<typeof Receipt>;

/** The target of a link to the message that `linkTo` names. The gateway replaces it by the channel's own address. */
export const MESSAGE_LINK = '#message';

/** An outbound message: markdown text (CommonMark and GFM) with optional buttons and files. */
export const OutboundBody = z.object({
  text: z.string().min(1),
  /** Language of the text as a BCP 47 code; English when missing. */
  language: z.string().max(20).optional(),
  /** Shown below the text in a form that message text cannot imitate. Made from the ledger by the runtime alone. */
  receipts: z.array(Receipt).max(8).optional(),
  buttons: z.array(RuntimeButton).max(24).default([]),
  /** The channel's id of the message to reply to, in groups. */
  replyTo: z.string().max(160).optional(),
  /** The channel's id of a message of this chat. A link to `MESSAGE_LINK` in the text leads there, where the channel has such links. */
  linkTo: z.string().max(160).optional(),
  /** The text asks a question: channels that support it make the next message a reply. */
  asksReply: z.boolean().optional(),
  /** User key of the only group member who may see it. Channels without such messages send it in private. */
  onlyFor: z.string().max(120).optional(),
  files: z.array(OutboundFile).max(10).optional(),
  /** Replacement for a text with a secret, stored after the message was delivered or given up. */
  afterwards: z.string().min(1).optional(),
  /** Only edits the message of its slot; dropped when that message was deleted or is too old to edit. */
  onlyChanges: z.boolean().optional(),
  /** Sends a new message at the end of the chat and deletes the previous message of its slot. */
  anew: z.boolean().optional(),
  /** Id of a challenge whose code the gateway inserts while sending, and stores nowhere. */
  code: z.object({ challengeId: z.string().min(1).max(120) }).optional(),
  /** Number of messages that were given up while the chat was unreachable: the gateway reports it instead of the text. */
  missed: z.int().positive().optional(),
  /** Everything that an approval's hash covers, as markdown: shown by channels that can expand a card in place of the "show" button. */
  bound: z.string().min(1).optional(),
  /** Shows exact values line by line: nothing is folded or replaced. */
  isExact: z.boolean().optional(),
  /** Progress of the work that this slot shows. Channels that cannot edit messages show only the first step and the end. */
  progress: z.enum(['underway', 'over']).optional(),
});
export type OutboundBody = z.infer<typeof OutboundBody>;

/** Send order within one chat: lower first. */
export const SEND_PRIORITY = { control: 0, reply: 5, progress: 9 } as const;

/** One message as it is put into the outbox. */
export const OutboundEnvelope = z.object({
  /** Idempotency key: putting the same key twice stores one row. */
  key: z.string().min(1).max(200),
  chatKey: z.string(),
  /** The person whose turn the message belongs to; missing outside of turns. */
  userKey: z.string().nullish(),
  threadId: z.string().nullish(),
  turnId: z.string().nullish(),
  traceId: z.string(),
  priority: z.number().int().min(0).max(9),
  /** Messages of one chat with the same slot are one message, edited in place. */
  slot: z.string().max(200).nullish(),
  body: OutboundBody,
});
export type OutboundEnvelope = z.infer<typeof OutboundEnvelope>;
