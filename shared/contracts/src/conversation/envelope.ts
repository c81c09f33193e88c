import { z } from 'zod';
import { ApprovalAct } from '../governance/approval.ts';
import { PageMode } from './page-mode.ts';

/** Longest text that one inbound message may carry, in UTF-16 units. Telegram's clients split at 4,096; other channels do not. */
export const MAX_TEXT_LENGTH = 16_000;

export const ChatKind = z.enum(['private', 'group']);
export type ChatKind = z.infer<typeof ChatKind>;

/**
 * What every inbound envelope carries. `id` is the idempotency key `<channel>:<bot>:<update id>`.
 * `userKey` is the Telegram user id, or `<channel>-<id>` elsewhere; `chatKey` is `<channel>:<chat id>`, and in a topic of a
 * group `<channel>:<chat id>/<topic id>`: a topic is a conversation of its own.
 */
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

/** Files of one message: an album has at most ten. */
const MAX_ATTACHMENTS = 10;

/** A file that came with a message. Only a reference: it is fetched when something looks at it. */
export const Attachment = z.object({
  kind: z.enum(['document', 'photo', 'voice', 'audio', 'video']),
  /** The channel's own name of the file, by which it can be fetched there. */
  ref: z.string().min(1).max(400),
  /** As its sender named it, cleaned; null when the channel gives none. */
  name: z.string().min(1).max(200).nullable(),
  mimeType: z.string().max(120).nullable(),
  sizeBytes: z.int().nonnegative().nullable(),
});
export type Attachment = z.infer<typeof Attachment>;

/** A choice under a message. Pressing it says `value` in the person's name. */
export const Button = z.object({ label: z.string().min(1).max(64), value: z.string().min(1).max(200) });
export type Button = z.infer<typeof Button>;

/** A button that stands for one whole call of a tool. Only the runtime draws such a one; those of a model have label and value alone. */
export const ActionButton = Button.extend({
  does: z.object({ tool: z.string().min(1).max(120), arguments: z.record(z.string(), z.json()) }).optional(),
});
export type ActionButton = z.infer<typeof ActionButton>;

/** As it is sent: what it stands for was looked up and hashed, so that a press confirms exactly that. */
export const OfferedButton = Button.extend({ offer: z.string().length(64).optional() });
export type OfferedButton = z.infer<typeof OfferedButton>;

/** Anything that wakes an agent. */
export const InboundEnvelope = z.discriminatedUnion('kind', [
  Base.extend({
    kind: z.literal('message'),
    chatKind: ChatKind,
    /** The person's display name, as the channel gives it. */
    name: z.string().max(200),
    text: z.string().max(MAX_TEXT_LENGTH),
    /** The channel's id of the message, for replies. */
    messageId: z.string().max(160).nullable(),
    /** What came with the text, or instead of one. Left out when nothing did. */
    attachments: z.array(Attachment).min(1).max(MAX_ATTACHMENTS).optional(),
    /** What was sent as one shares it, so that parts that come apart are put together again. */
    album: z.string().max(200).optional(),
    /** In a group: only we and the person see the message, so the answer is only for that person. */
    whisper: z.literal(true).optional(),
    /** The words are not the person's own: forwarded, written by another bot, or with a quotation in them. */
    borrowed: z.enum(['forward', 'bot', 'quote']).optional(),
    /** How old it was when it came in, by the database's clock and the channel's date. Left out up to ten minutes, and for what a button says. */
    ageMs: z.number().nonnegative().optional(),
    /** The person said it: a transcript that they read and confirmed. */
    spoken: z.literal(true).optional(),
    /** How its author reads: how the page is used on which they wrote it. Left out where the channel cannot tell. */
    reads: PageMode.optional(),
    /** Set when the text came from a button: which outbox row it belongs to. */
    button: z.object({ outboxId: z.string(), index: z.number().int() }).nullable(),
  }),
  /** The person reads in another way from now on, in this chat. */
  Base.extend({ kind: z.literal('mode'), ...PageMode.shape }),
  /** A command that must be handled in its place among the messages. */
  Base.extend({ kind: z.literal('command'), chatKind: ChatKind, name: z.string().max(200), command: z.literal('new') }),
  /** A job has ended: the agent, or a notice, tells the person. */
  Base.extend({
    kind: z.literal('job-finished'),
    runId: z.string(),
    job: z.string(),
    threadId: z.string().nullable(),
    outcome: z.enum(['done', 'failed']),
    /** One or two sentences for the person. */
    say: z.string().max(4_000),
  }),
  /** A person decided about an action of this lane, or its time ran out. */
  Base.extend({
    kind: z.literal('decision'),
    approvalId: z.string(),
    actionId: z.string(),
    threadId: z.string(),
    outcome: z.enum(['approved', 'rejected', 'modified', 'expired']),
  }),
  /**
   * Something broke that this person looks after, or is well again. Opened: it opens a conversation when there is none, so that it
   * can be answered.
   */
  Base.extend({
    kind: z.literal('incident'),
    incidentId: z.string().max(40),
    phase: z.enum(['opened', 'closed']),
    /** What the conversation is about from now on; null for a server. */
    project: z.string().max(80).nullable(),
    /** For the person, as markdown: facts that were measured, and no text of outside. */
    say: z.string().min(1).max(4_000),
    /** What a log says of it, shown below as text of outside. It never stands in the conversation. */
    quote: z.string().max(400).optional(),
    buttons: z.array(ActionButton).max(6),
  }),
  /** A node of this person's conversation is to run again: a tool asked for it. */
  Base.extend({
    kind: z.literal('node'),
    threadId: z.string(),
    node: z.string().min(1).max(80),
    actionId: z.string().max(160),
    /** The message whose turn failed: what came after it is left out. Left out itself: the newest one. */
    about: z.string().max(200).optional(),
    /** For the person: who had it run. */
    say: z.string().min(1).max(1_000),
  }),
]);
export type InboundEnvelope = z.infer<typeof InboundEnvelope>;
export type MessageEnvelope = Extract<InboundEnvelope, { kind: 'message' }>;

/** What is left to see of an inbound message once it has been handled. Exactly one per inbox row. */
export const InboxOutcome = z.enum(['answered', 'merged', 'refused', 'stopped', 'expired', 'dead-lettered']);
export type InboxOutcome = z.infer<typeof InboxOutcome>;

/** A button of the runtime's own. Those that a model asks for never carry an act or an offer. */
export const RuntimeButton = OfferedButton.extend({
  act: ApprovalAct.optional(),
  /** The run of a followed log: pressing the button ends it, and says nothing. */
  ends: z.string().min(1).max(200).optional(),
});
export type RuntimeButton = z.infer<typeof RuntimeButton>;

/** A file that goes with a message. Its bytes are a row of `artifacts`. */
export const OutboundFile = z.object({
  artifactId: z.string().min(1).max(80),
  /** The name that the person sees, without a path. */
  name: z.string().min(1).max(200),
});
export type OutboundFile = z.infer<typeof OutboundFile>;

/** One line of the runtime about what happened: what and where, then when and the command that opens it. No markdown. */
export const Receipt = z.object({ what: z.string().min(1).max(200), note: z.string().max(120) });
export type Receipt = z.infer<typeof Receipt>;

/** The target of a link to the message that `linkTo` names. The gateway puts the channel's own address in its place. */
export const MESSAGE_LINK = '#message';

/** What a person sees: markdown text (CommonMark and GFM), with optional buttons and files. */
export const OutboundBody = z.object({
  text: z.string().min(1),
  /** What it is written in, as a BCP 47 code; English when left out. */
  language: z.string().max(20).optional(),
  /** Drawn below the text in a form that no text can take: see the channel. Made from the ledger, and by the runtime alone. */
  receipts: z.array(Receipt).max(8).optional(),
  buttons: z.array(RuntimeButton).max(24).default([]),
  /** The channel's id of the message that this one answers; in groups, where several people speak. */
  replyTo: z.string().max(160).optional(),
  /** The channel's id of a message of this chat. A link to `MESSAGE_LINK` in the text leads there, where the channel has such links. */
  linkTo: z.string().max(160).optional(),
  /** It asks its reader to write something: a channel that can makes their next message an answer to it. */
  asksReply: z.boolean().optional(),
  /** Only this person of a group is to see it. A channel that cannot do that sends it to the person in private. */
  onlyFor: z.string().max(120).optional(),
  files: z.array(OutboundFile).max(10).optional(),
  /** What the history keeps of a text that holds a secret, from the moment when it was delivered or given up. */
  afterwards: z.string().min(1).optional(),
  /** It only changes the message of its slot: when that is gone, or too old to be changed, it is left as it is. */
  onlyChanges: z.boolean().optional(),
  /** It goes to the end of the chat, and the message of its slot that stood there before is taken away. */
  anew: z.boolean().optional(),
  /** The gateway writes the code of this challenge into the text, while it sends it and nowhere else. */
  code: z.object({ challengeId: z.string().min(1).max(120) }).optional(),
  /** So many messages were given up while the chat refused us, and are too old now: the gateway writes that in place of the text. */
  missed: z.int().positive().optional(),
  /** Of a card: all that is bound, as Markdown. A channel that can opens it in place of the button that shows it. */
  bound: z.string().min(1).optional(),
  /** It shows values as they are, each line marked as that of a value: nothing of it is folded, and no sign is replaced. */
  isExact: z.boolean().optional(),
  /** How far the work is that its slot shows. Where no message can be changed, people are shown the first step and the end. */
  progress: z.enum(['underway', 'over']).optional(),
});
export type OutboundBody = z.infer<typeof OutboundBody>;

/** Lower goes first within one chat. */
export const PRIORITY = { control: 0, reply: 5, progress: 9 } as const;

/** One message for a person, as it is put into the outbox. */
export const OutboundEnvelope = z.object({
  /** Idempotency key: putting the same key twice stores one row. */
  key: z.string().min(1).max(200),
  chatKey: z.string(),
  /** Whose turn it belongs to; none for messages that answer no turn. */
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
