import type { Attachment, ChatKind, MessageEnvelope, OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import type { WakeUp } from '@signalbox/contracts/conversation/topics';
import type { Closable, RegisterClosable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';
import type { Pool } from '@signalbox/store/pool';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { GatewayMetrics } from '../metrics.ts';

/** The sender of one update of a channel. `updateId` is the channel's, unique per bot. */
interface UpdateSender {
  readonly updateId: string;
  readonly userKey: string;
  readonly chatKey: string;
  readonly chatKind: ChatKind;
  readonly name: string;
  /** The language of the person's client, as a BCP 47 code; left out when the channel does not say. */
  readonly language?: string;
  /** ISO time of the person's action. */
  readonly at: string;
  /** The person's page mode in this chat; left out when the channel has no pages. */
  readonly reads?: PageMode;
  /** The trace of the program that sent the update; null or left out without one. */
  readonly trace?: { readonly traceId: string | null; readonly traceparent: string } | null;
  /** Values that identify the account's owner: when one changes, the account may belong to another person. */
  readonly marks?: Readonly<Record<string, string>>;
}

export type UnsupportedContent = 'sticker' | 'poll' | 'place' | 'contact' | 'story' | 'checklist' | 'game' | 'other';

export type IncomingUpdate =
  | (UpdateSender & {
      readonly kind: 'text';
      readonly text: string;
      /** Null when a button of the channel wrote the text for the person. */
      readonly messageId: string | null;
      /** True when the text is certainly for the bot: a command in a group may be for another bot. */
      readonly named: boolean;
      /** True when only the bot and the person see the text in a group. */
      readonly whisper: boolean;
      readonly attachments: readonly Attachment[];
      /** The same for messages that were sent together; null for a single message. */
      readonly album: string | null;
      /** The request of a pipeline to deploy, whose text only describes it. */
      readonly gate?: MessageEnvelope['gate'];
      /** The bot's message that this text replies to; left out when the text is no reply. */
      readonly answers?: string;
      /** Who wrote the text, when the sender did not. */
      readonly borrowed?: MessageEnvelope['borrowed'];
      /** Set when the text is so long that the client may have split it: the separator at the split. */
      readonly cut?: '' | '\n';
      /** Set when the text counts only as the rest of a split text that was sent to the bot in a group. */
      readonly onlyRest?: true;
    })
  /** A further part of an album whose first part may be for the bot; ignored by itself. */
  | (UpdateSender & {
      readonly kind: 'album-part';
      readonly text: string;
      readonly messageId: string;
      readonly attachments: readonly Attachment[];
      readonly album: string;
    })
  | (UpdateSender & {
      readonly kind: 'press';
      /** The id with which the press is answered, so that the button stops spinning. */
      readonly pressId: string;
      readonly outboxId: string;
      readonly index: number;
      readonly messageId: string | null;
      /** `bot`: a program pressed the button, so its label is nobody's own words. */
      readonly borrowed?: 'bot';
    })
  /** New text of an earlier message. */
  | (UpdateSender & {
      readonly kind: 'edit';
      readonly text: string;
      readonly messageId: string;
      readonly album: string | null;
      /** Who wrote the new text, when the sender did not. */
      readonly borrowed?: MessageEnvelope['borrowed'];
      /** The update to admit when the original message was never seen; without it the edit is then ignored. */
      readonly unseen?: TextUpdate;
    })
  /** The person switched the page mode to `reads`. */
  | (UpdateSender & { readonly kind: 'mode'; readonly reads: PageMode; readonly messageId: null })
  /** Content that is neither text nor a file. */
  | (UpdateSender & { readonly kind: 'not-text'; readonly messageId: string; readonly what: UnsupportedContent })
  /** A message for the bot from an anonymous sender, who cannot be answered in person. */
  | {
      readonly kind: 'unnamed';
      readonly updateId: string;
      /** Whether the sender writes as the group itself or as a channel. */
      readonly as: 'group' | 'channel';
      readonly chatKey: string;
      readonly at: string;
      readonly messageId: string;
      readonly text: string;
      /** True when the text is certainly for the bot: a command may be for another bot. */
      readonly named: boolean;
    }
  /** Says whether the bot may write to the chat from now on. */
  | {
      readonly kind: 'membership';
      readonly updateId: string;
      readonly chatKey: string;
      readonly reachable: boolean;
      readonly reason: string;
    }
  /** The account may belong to another person from now on. */
  | { readonly kind: 'vacated'; readonly updateId: string; readonly userKey: string; readonly reason: string }
  /** The chat has a new key. */
  | { readonly kind: 'moved'; readonly updateId: string; readonly from: string; readonly to: string }
  /** An update that is not for the bot. `pressId` names a button press that must stop spinning. */
  | {
      readonly kind: 'ignored';
      readonly updateId: string | null;
      readonly reason: string;
      readonly pressId: string | null;
      /** Set when the update may have been for the bot but could not be read, and nobody can be told. */
      readonly isUnread?: true;
      /** The update to admit when it turns out to be the rest of a split text. */
      readonly rest?: TextUpdate;
    };

export type TextUpdate = Extract<IncomingUpdate, { kind: 'text' }>;

/** The outbox row whose message is encoded. */
export interface EncodedRow {
  readonly chatKey: string;
  readonly outboxId: number;
  /** Index of the first part in the simple form, which every server accepts; null when all are rich. */
  readonly simpleFrom: number | null;
}

export type FetchResult =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large' }
  /** The channel does not have the file, or no longer has it. */
  | { readonly kind: 'gone' }
  /** The channel is not reachable, or too slow. */
  | { readonly kind: 'away'; readonly detail: string };

/** The result of one send. Only `ambiguous` leaves open whether the person sees the message. */
export type SendResult =
  | { readonly kind: 'sent'; readonly messageId: string }
  /** The platform asks the gateway to wait. */
  | { readonly kind: 'wait'; readonly retryAfterMs: number }
  /** Nothing was sent, because there is no connection. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  /** The platform failed and did nothing. */
  | { readonly kind: 'busy'; readonly detail: string }
  /** The request was sent but no answer came. */
  | { readonly kind: 'ambiguous'; readonly detail: string }
  /** The bot may no longer write to this chat. */
  | { readonly kind: 'blocked'; readonly reason: string }
  | { readonly kind: 'moved'; readonly chatKey: string }
  /** The message to edit no longer exists. */
  | { readonly kind: 'gone' }
  /** The platform rejects the rich form; the simple form may succeed. */
  | { readonly kind: 'too-rich'; readonly detail: string }
  | { readonly kind: 'rejected'; readonly detail: string };

/** The result of showing a draft. A failed one is not retried, since the next draft is newer. */
export type DraftResult =
  | { readonly kind: 'shown' }
  /** The platform asks the gateway to wait. */
  | { readonly kind: 'wait'; readonly retryAfterMs: number }
  /** The platform shows no drafts in this chat. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** The platform has no drafts. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly detail: string };

export interface ChannelListener extends Closable {
  /** Why updates do not arrive at the moment, as a sentence; null when they do. */
  problem(): string | null;
  /** Why the platform refuses the account although updates arrive; left out where that cannot happen. */
  refusal?(): string | null;
  /** Rejects when no update can arrive until somebody fixes something (a wrong token); resolves when closed. */
  readonly ended: Promise<void>;
}

/** Who gets command menus in the channel's clients. */
export interface MenuAudience {
  /** True to set the menus of everybody too. */
  readonly everybody: boolean;
  readonly admins: readonly string[];
  /** Former admins, who get the menu of everybody. */
  readonly former: readonly string[];
}

/** How many sends a platform accepts from one process. */
export interface ThrottleOptions {
  readonly sendsPerSecond: number;
  /** The rate in one private chat once its burst is used. */
  readonly chatSendsPerSecond: number;
  readonly chatBurst: number;
  readonly groupSendsPerMinute: number;
}

/** How gateways receive updates: one of them by polling, or all by webhook. The two ways exclude each other. */
export type ReceiveMode = 'polling' | 'webhook';

/**
 * A platform to receive from and send to. Sends never throw: failures are values. Only the channel looks into `P`, one part of a message.
 * Optional methods are left out where the platform lacks them.
 */
export interface Channel<P = unknown> {
  readonly name: string;
  /** The bot account, as used in idempotency keys. */
  readonly bot: string;
  readonly way: ReceiveMode;
  /** True when the channel shows approval cards whole to an authenticated reader; elsewhere the message says where to decide. */
  readonly takesDecisions: boolean;
  /** The largest file that can be fetched; 0 where there are no files. */
  readonly fileLimitBytes: number;
  readonly throttle: ThrottleOptions;
  throttleOf(chatKey: string): ChatKind;
  /** Splits a message into parts for single sends, in order, at least one. Deterministic. */
  encode(body: OutboundBody, row: EncodedRow): readonly P[];
  /** Sends a part, which has room for `firstLine` above it. */
  send(chatKey: string, part: P, firstLine: string | null): Promise<SendResult>;
  /** Left out where sent messages cannot change: a change is then a new message. */
  edit?(chatKey: string, messageId: string, part: P): Promise<SendResult>;
  /** Deletes a message if that is still possible. */
  remove?(chatKey: string, messageId: string): Promise<void>;
  removeButtons?(chatKey: string, messageId: string): Promise<void>;
  /** Fetches a file by its `ref`. Never throws; an abort is `away`. Left out where there are no files. */
  fetchFile?(ref: string, options: { readonly limitBytes: number; readonly signal: AbortSignal }): Promise<FetchResult>;
  /** Stops the spinner of a pressed button; `toast` is shown briefly. */
  answerPress?(pressId: string, toast: string | null): Promise<void>;
  typing?(chatKey: string): Promise<void>;
  /** Shows drafts of a text that is being written. */
  readonly drafts?: {
    readonly intervalMs: number;
    /** Shows markdown in a private chat, with a Stop button, until a message is sent there or the draft expires. Never throws. */
    show(chatKey: string, draft: { readonly draftId: number; readonly text: string }): Promise<DraftResult>;
  };
  /** Sets the command menus of clients where they differ. Rejects when the platform is away. */
  offerCommands?(to: MenuAudience, signal: AbortSignal): Promise<void>;
  /** A link that opens a private chat with the bot and sends the code, if any; null while the bot's name is unknown. */
  link?(code: string | null): string | null;
  /** A link to a message for the members of its chat; null where the platform has none. */
  messageLink?(chatKey: string, messageId: string): string | null;
  /** Opens the channel's own server before `listen`. The server closes before the listener, so that received updates are finished. */
  serve?(): Promise<Closable & { readonly port: number }>;
  /** Receives updates until closed. The platform forgets updates once `admit` has resolved, and delivers them again when it throws. */
  listen(admit: (updates: readonly IncomingUpdate[]) => Promise<void>): ChannelListener;
}

export interface ChannelDeps<C> {
  /** The channel's own configuration. */
  readonly config: C;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly redisUrl: string;
  /** The prefix of all Redis keys and pub/sub channels of this channel. */
  readonly prefix: string;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
  /** Registers something to close when the gateway stops. */
  readonly own: RegisterClosable;
  /** Wakes the conversations of people after their news was committed. Never throws. */
  readonly wakeLanes: (wakes: readonly WakeUp[]) => Promise<void>;
  /** The gateway's public HTTP server for the channel's routes. It starts listening once every channel is open. */
  readonly http: () => FastifyInstance;
  /** The address that the server listens on. */
  readonly httpHost: string;
}

/** A channel as its folder registers it. Importing it must be cheap: `open` loads the rest. */
export interface ChannelDefinition<C extends z.ZodObject = z.ZodObject> {
  /** The name of the folder, and the prefix of the channel's chat and user keys: see shared/contracts/src/conversation/chat-key.ts. */
  readonly name: string;
  readonly config: C;
  /** Throws like `open` while something outside is missing, such as a file; opens nothing. Left out where nothing can be missing. */
  check?(config: z.output<C>): void;
  /** Throws CONFIG_INVALID or STARTUP_REFUSED when the channel cannot work. Sends nothing before `listen` or the first send. */
  open(parts: ChannelDeps<z.output<C>>): Promise<Channel>;
}
