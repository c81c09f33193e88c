import { z } from 'zod';
import { ApprovalCommand } from '../governance/approval.ts';
import { GateRequest } from '../operations/gate.ts';
import { PageMode } from './page-mode.ts';

/** Maximum length of the text of an inbound message, in UTF-16 units. Telegram splits longer texts at 4,096; other channels do not. */
export const MAX_INBOUND_LENGTH = 16_000;

export const ChatKind = z.enum(['private', 'group']);
export type ChatKind = z.infer<typeof ChatKind>;

/** Fields of every inbound envelope. `id`: idempotency key `<channel>:<bot>:<update id>`. For user and chat keys, see chat-key.ts. */
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

/** Maximum number of files per message: a Telegram album has at most ten. */
const MAX_ATTACHMENTS = 10;

/** A reference to a file in a message. The file's bytes are fetched on demand. */
export const Attachment = z.object({
  kind: z.enum(['document', 'photo', 'voice', 'audio', 'video']),
  /** Id by which the channel returns the file. */
  ref: z.string().min(1).max(400),
  /** File name that the sender gave, cleaned; null when the channel passes none. */
  name: z.string().min(1).max(200).nullable(),
  mimeType: z.string().max(120).nullable(),
  sizeBytes: z.int().nonnegative().nullable(),
});
export type Attachment = z.infer<typeof Attachment>;

/** A button under a message. Pressing it sends `value` as the person's message. */
export const Button = z.object({ label: z.string().min(1).max(64), value: z.string().min(1).max(200) });
export type Button = z.infer<typeof Button>;

/** A button that stands for one complete tool call. Only the runtime creates it; a model's buttons have only label and value. */
export const ActionButton = Button.extend({
  does: z.object({ tool: z.string().min(1).max(120), arguments: z.record(z.string(), z.json()) }).optional(),
});
export type ActionButton = z.infer<typeof ActionButton>;

/** A switch to another agent. `messages`: ids of the person's messages that this agent gets; none when it only answers from now on. */
export const Handoff = z.object({ agent: z.string().min(1).max(80), messages: z.array(z.string().max(200)).max(20) });
export type Handoff = z.infer<typeof Handoff>;

/** A button as it is sent. Only the runtime adds what is beyond a label and a value. */
export const OfferedButton = Button.extend({
  /** Hash of the button's resolved tool call: pressing the button confirms exactly that call. */
  offer: z.string().length(64).optional(),
  /** Pressing the button does this, in place of sending the value. */
  handoff: Handoff.optional(),
});
export type OfferedButton = z.infer<typeof OfferedButton>;

/** Any event that starts a turn of an agent. */
export const InboundEnvelope = z.discriminatedUnion('kind', [
  Base.extend({
    kind: z.literal('message'),
    chatKind: ChatKind,
    /** Display name of the person, as given by the channel. */
    name: z.string().max(200),
    text: z.string().max(MAX_INBOUND_LENGTH),
    /** The channel's id of the message, needed for replies. */
    messageId: z.string().max(160).nullable(),
    /** Files that were sent with or without text. Missing when there are none. */
    attachments: z.array(Attachment).min(1).max(MAX_ATTACHMENTS).optional(),
    /** Id shared by the parts of one album, which channels deliver separately and the gateway joins again. */
    album: z.string().max(200).optional(),
    /** True for a message in a group that only the bot and the sender can see, like its answer. */
    whisper: z.literal(true).optional(),
    /** Why the text is not the sender's own: it was forwarded, written by another bot, or contains a quotation. */
    borrowed: z.enum(['forward', 'bot', 'quote']).optional(),
    /** Age of the message at arrival, when above ten minutes, by the clocks of channel and database. Missing for button presses. */
    ageMs: z.number().nonnegative().optional(),
    /** True when the text is the transcript of a voice message, which the person read and confirmed. */
    spoken: z.literal(true).optional(),
    /** The request of a pipeline to deploy: the runtime asks people, and no agent reads it. */
    gate: GateRequest.optional(),
    /** The schedule that says these words again, which its owner typed when it was made. */
    schedule: z.int().positive().optional(),
    /** The conversation whose agent answers, for the words of a schedule. Missing for people: the agent of their chat answers. */
    threadId: z.string().optional(),
    /** W3C `traceparent` of the program that sent the message. */
    traceparent: z.string().max(200).optional(),
    /** Mode of the web page on which the message was written. Missing for other channels. */
    reads: PageMode.optional(),
    /** Outbox row and index of the pressed button; null for typed text. */
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
    /** `failed` also when the job ended and what it deployed does not serve; `waits` for an answer of the person. */
    outcome: z.enum(['done', 'failed', 'waits']),
    /** One or two sentences about the job, for the person. */
    say: z.string().max(4_000),
    /** True when the sentence quotes nothing that others wrote. */
    isOwn: z.boolean().default(false),
  }),
  /** A person decided about an approval of this lane, or the approval expired. */
  Base.extend({
    kind: z.literal('decision'),
    approvalId: z.string(),
    actionId: z.string(),
    threadId: z.string(),
    outcome: z.enum(['approved', 'rejected', 'modified', 'expired']),
  }),
  /** An incident opened or closed at a service or server of this person. An opened incident starts a conversation when there is none. */
  Base.extend({
    kind: z.literal('incident'),
    incidentId: z.string().max(40),
    phase: z.enum(['opened', 'closed']),
    /** Project that becomes the topic of the conversation; null when the incident is about a server. */
    project: z.string().max(80).nullable(),
    /** Markdown for the person: only measured facts, and no text from outside. */
    say: z.string().min(1).max(4_000),
    /** A log excerpt or an alarm's words, shown below the text as outside text. It never enters the history of the conversation. */
    quote: z.string().max(800).optional(),
    /** Set for what a person can take: its message is edited as it goes on. The environment of the service that it is about, if any. */
    card: z.object({ environment: z.string().max(80).nullable(), fromLog: z.literal(true).optional() }).optional(),
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
    /** Sentence for the person about who asked for the rerun. */
    say: z.string().min(1).max(1_000),
  }),
]);
export type InboundEnvelope = z.infer<typeof InboundEnvelope>;
export type MessageEnvelope = Extract<InboundEnvelope, { kind: 'message' }>;

/** The final state of an inbound message, one per inbox row. */
export const InboxOutcome = z.enum(['answered', 'merged', 'refused', 'stopped', 'expired', 'dead-lettered']);
export type InboxOutcome = z.infer<typeof InboxOutcome>;

/** What a button does with an incident. `take`: the person looks after it. `silence`: nothing more is told of it for an hour. */
export const IncidentCommand = z.object({ incidentId: z.string().max(40), verb: z.enum(['take', 'silence']) });
export type IncidentCommand = z.infer<typeof IncidentCommand>;

/** A button that the runtime created. A model's buttons never have `act`, `offer`, `handoff` or `incident`. */
export const RuntimeButton = OfferedButton.extend({
  act: ApprovalCommand.optional(),
  /** Pressing the button does this and sends no message. */
  incident: IncidentCommand.optional(),
  /** Id of the run that follows a log: pressing the button ends the run and sends no message. */
  ends: z.string().min(1).max(200).optional(),
});
export type RuntimeButton = z.infer<typeof RuntimeButton>;

/** A file attached to an outbound message. Its bytes are a row of `artifacts`. */
export const OutboundFile = z.object({
  artifactId: z.string().min(1).max(80),
  /** File name that the person sees, without a path. */
  name: z.string().min(1).max(200),
});
export type OutboundFile = z.infer<typeof OutboundFile>;

/** A line that the runtime writes: `what` names action and target, `note` the time and the command for details. No markdown. */
export const Receipt = z.object({ what: z.string().min(1).max(200), note: z.string().max(120) });
export type Receipt = z.infer<typeof Receipt>;

/** Link target that stands for the message named by `linkTo`. The gateway replaces it by the channel's own address. */
export const MESSAGE_LINK = '#message';

/** An outbound message: markdown text (CommonMark and GFM) with optional buttons and files. */
export const OutboundBody = z.object({
  text: z.string().min(1),
  /** Language of the text as a BCP 47 code; English when missing. */
  language: z.string().max(20).optional(),
  /** Receipts, shown below the text in a form that message text cannot imitate. Only the runtime writes them, from the ledger. */
  receipts: z.array(Receipt).max(8).optional(),
  buttons: z.array(RuntimeButton).max(24).default([]),
  /** The channel's id of the message that this one replies to, in groups. */
  replyTo: z.string().max(160).optional(),
  /** The channel's id of a message in this chat. A link to `MESSAGE_LINK` in the text leads there, on channels with such links. */
  linkTo: z.string().max(160).optional(),
  /** The requests at whose cards the text points: the person is pointed at each once in a while. */
  pointsTo: z.array(z.string().max(80)).max(10).optional(),
  /** True when the text asks a question: channels that support it then mark the person's next message as a reply. */
  asksReply: z.boolean().optional(),
  /** User key of the only group member who may see the message. Channels without such messages use the private chat. */
  onlyFor: z.string().max(120).optional(),
  files: z.array(OutboundFile).max(10).optional(),
  /** Replacement for a text with a secret, stored once the message was delivered or given up. */
  afterwards: z.string().min(1).optional(),
  /** True when the message only edits the message of its slot. It is dropped when that one was deleted or is too old to edit. */
  onlyChanges: z.boolean().optional(),
  /** True to send a new message at the end of the chat and delete the previous message of the slot. */
  anew: z.boolean().optional(),
  /** Id of a challenge. The gateway inserts its code while sending, and never stores the code. */
  code: z.object({ challengeId: z.string().min(1).max(120) }).optional(),
  /** Number of messages that were given up while the chat was unreachable. The gateway reports this number instead of the text. */
  missed: z.int().positive().optional(),
  /** Everything that an approval's hash covers, as markdown. Channels that can expand a card show it in place of the "show" button. */
  bound: z.string().min(1).optional(),
  /** True to show exact values line by line, with nothing folded or replaced. */
  isExact: z.boolean().optional(),
  /** Whether the work that this slot shows is in progress. Channels that cannot edit messages show only the first step and the end. */
  progress: z.enum(['underway', 'over']).optional(),
});
export type OutboundBody = z.infer<typeof OutboundBody>;

/** Send order of messages in one chat: lower values first. */
export const SEND_PRIORITY = { control: 0, reply: 5, progress: 9 } as const;

/** One message for the outbox. */
export const OutboundEnvelope = z.object({
  /** Idempotency key: two messages with the same key give one row. */
  key: z.string().min(1).max(200),
  chatKey: z.string(),
  /** The person whose turn the message belongs to; missing outside turns. */
  userKey: z.string().nullish(),
  threadId: z.string().nullish(),
  turnId: z.string().nullish(),
  traceId: z.string(),
  priority: z.number().int().min(0).max(9),
  /** Slot of the message: messages of a chat with the same slot are one message, which is edited in place. */
  slot: z.string().max(200).nullish(),
  body: OutboundBody,
});
export type OutboundEnvelope = z.infer<typeof OutboundEnvelope>;
