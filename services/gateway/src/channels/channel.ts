import type { Attachment, ChatKind, MessageEnvelope, OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import type { Closable, Own } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';
import type { Pool } from '@signalbox/store/pool';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { GatewayMetrics } from '../metrics.ts';

/** What one update of a channel means to us. `updateId` is the channel's, unique per bot. */
interface FromPerson {
  readonly updateId: string;
  readonly userKey: string;
  readonly chatKey: string;
  readonly chatKind: ChatKind;
  /** The person's display name. */
  readonly name: string;
  /** The language of their client, as a BCP 47 code; left out when the channel does not say. */
  readonly language?: string;
  /** ISO time at which the person did it. */
  readonly at: string;
  /** How the person reads where they did it. Left out when the channel does not say. */
  readonly reads?: PageMode;
  /** What the channel knows the owner of the account by: where it changes, the account may be another's. */
  readonly marks?: Readonly<Record<string, string>>;
}

export type NotText = 'sticker' | 'poll' | 'place' | 'contact' | 'story' | 'checklist' | 'game' | 'other';

export type Incoming =
  | (FromPerson & {
      readonly kind: 'text';
      readonly text: string;
      /** Null when the person did not write it: a button of the channel's own says it for them. */
      readonly messageId: string | null;
      /** Whether it is certainly meant for us: in a group, a command may be another bot's. */
      readonly named: boolean;
      /** Only we and the person see it, in a group where others are. */
      readonly whisper: boolean;
      readonly attachments: readonly Attachment[];
      /** Shared by messages that were sent as one; null for a message by itself. */
      readonly album: string | null;
      /** The message of ours that it answers. Left out when it answers none. */
      readonly answers?: string;
      /** The words are not the person's own. Left out when they are. */
      readonly borrowed?: MessageEnvelope['borrowed'];
      /** So long that the person's client may have cut it: the rest follows at once. Says what stood at the cut. */
      readonly cut?: '' | '\n';
      /** By itself it is nothing: in a group, only as the rest of what was said to us is it for us. */
      readonly onlyRest?: true;
    })
  /** More of an album whose first part may be for us. By itself it is nothing. */
  | (FromPerson & {
      readonly kind: 'album-part';
      readonly text: string;
      readonly messageId: string;
      readonly attachments: readonly Attachment[];
      readonly album: string;
    })
  | (FromPerson & {
      readonly kind: 'press';
      /** What the channel wants answered, so that the button stops spinning. */
      readonly pressId: string;
      readonly outboxId: string;
      readonly index: number;
      readonly messageId: string | null;
      /** `bot`: a program pressed it, which makes what the button says nobody's own words. */
      readonly borrowed?: 'bot';
    })
  /** A message that was written before has this text now. */
  | (FromPerson & {
      readonly kind: 'edit';
      readonly text: string;
      readonly messageId: string;
      readonly album: string | null;
      /** What it is where that message was never seen. Left out: then it is nothing. */
      readonly unseen?: WrittenUpdate;
    })
  /** The person reads in another way from now on: as `reads` says. */
  | (FromPerson & { readonly kind: 'mode'; readonly reads: PageMode; readonly messageId: null })
  /** Something that is neither words nor a file. */
  | (FromPerson & { readonly kind: 'not-text'; readonly messageId: string; readonly what: NotText })
  /** Meant for us, and written by somebody whom the channel does not name: nobody can be answered for it. */
  | {
      readonly kind: 'unnamed';
      readonly updateId: string;
      /** As the group itself, or as a channel. */
      readonly as: 'group' | 'channel';
      readonly chatKey: string;
      readonly at: string;
      readonly messageId: string;
      readonly text: string;
      /** Whether it is certainly meant for us: a command may be another bot's. */
      readonly named: boolean;
    }
  /** Whether we may write to a chat from now on. */
  | {
      readonly kind: 'membership';
      readonly updateId: string;
      readonly chatKey: string;
      readonly reachable: boolean;
      readonly reason: string;
    }
  /** The account may have another owner from now on. */
  | { readonly kind: 'vacated'; readonly updateId: string; readonly userKey: string; readonly reason: string }
  /** A chat goes on under another key. */
  | { readonly kind: 'moved'; readonly updateId: string; readonly from: string; readonly to: string }
  /** Nothing for us. `press` is a button press that must not spin for ever. */
  | {
      readonly kind: 'ignored';
      readonly updateId: string | null;
      readonly reason: string;
      readonly pressId: string | null;
      /** It may have been for us: nobody could read it, and there is nobody to tell. Left out when it surely was not. */
      readonly isUnread?: true;
      /** What it is as the rest of a text that was for us and that a client cut. */
      readonly rest?: WrittenUpdate;
    };

/** Words of a person. */
export type WrittenUpdate = Extract<Incoming, { kind: 'text' }>;

/** The row whose message is encoded. */
export interface EncodedRow {
  readonly chatKey: string;
  readonly outboxId: number;
  /**
   * The parts before this place are those of the rich form; what they do not hold follows in the simple form, which every
   * server takes. Null: the rich form throughout.
   */
  readonly simpleFrom: number | null;
}

/** What became of fetching a file. */
export type Fetched =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  /** Larger than was asked for. */
  | { readonly kind: 'too-large' }
  /** The channel does not have it, or not any more. */
  | { readonly kind: 'gone' }
  /** The channel cannot be reached, or not in time. */
  | { readonly kind: 'away'; readonly detail: string };

/** What became of one call. Only `ambiguous` leaves open whether the person sees it. */
export type Sent =
  | { readonly kind: 'sent'; readonly messageId: string }
  /** The channel asks us to wait. */
  | { readonly kind: 'wait'; readonly retryAfterMs: number }
  /** Never left this machine: no connection. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  /** The channel has a problem of its own and did nothing. */
  | { readonly kind: 'busy'; readonly detail: string }
  /** The request was written and no answer came. */
  | { readonly kind: 'ambiguous'; readonly detail: string }
  /** We may not write to this chat any more. */
  | { readonly kind: 'blocked'; readonly reason: string }
  | { readonly kind: 'moved'; readonly chatKey: string }
  /** The message to edit does not exist any more. */
  | { readonly kind: 'gone' }
  /** The channel does not take the rich form of this part and did nothing; the simple form may go through. */
  | { readonly kind: 'too-rich'; readonly detail: string }
  | { readonly kind: 'rejected'; readonly detail: string };

/** What became of a draft. None of it is tried again: the next draft is newer. */
export type Drafted =
  | { readonly kind: 'shown' }
  /** The channel asks us to wait. */
  | { readonly kind: 'wait'; readonly retryAfterMs: number }
  /** This chat is shown none. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** The channel has no drafts. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly detail: string };

export interface Listening extends Closable {
  /** Why updates do not come in at the moment, in words; null when they do. */
  problem(): string | null;
  /** Why the platform refuses our account, when it does and updates come in all the same. Left out where that cannot be. */
  refusal?(): string | null;
  /** Rejects when no update can come in until somebody has mended something (a wrong token); resolves when closed. */
  readonly ended: Promise<void>;
}

/** Whom the channel's clients are to offer commands. */
export interface OfferedTo {
  /** The lists that are for everybody, besides. */
  readonly everybody: boolean;
  readonly admins: readonly string[];
  /** Former admins, who are offered what everybody is. */
  readonly former: readonly string[];
}

/** How many sends a platform bears from one process. */
export interface ThrottleOptions {
  readonly sendsPerSecond: number;
  /** In one private chat, after a burst. */
  readonly chatSendsPerSecond: number;
  readonly chatBurst: number;
  readonly groupSendsPerMinute: number;
}

/**
 * Whether gateways receive one at a time, by asking, or all of them, by being called. Two gateways of different ways never receive
 * at the same time.
 */
export type Way = 'polling' | 'webhook';

/**
 * One way in and out. Sends never throw: what the channel answers is a value. `P` is a part of a message, what one send carries: only
 * the channel that made it looks inside. What a platform lacks is left out, and the gateway does without it.
 */
export interface Channel<P = unknown> {
  readonly name: string;
  /** Our account there, as it stands in idempotency keys. */
  readonly bot: string;
  readonly way: Way;
  /**
   * Whether a card is seen there whole, as it was hashed, by a person whom the channel has authenticated: only then a decision counts.
   * Elsewhere the person reads where they can decide.
   */
  readonly takesDecisions: boolean;
  /** Files larger than this cannot be fetched from there; 0 where there are none. */
  readonly fileLimitBytes: number;
  /** How fast it may be written to. */
  readonly throttle: ThrottleOptions;
  /** Whose rate limit a chat has. */
  throttleOf(chatKey: string): ChatKind;
  /** Splits a message into what single sends carry, in order; at least one. The same body and row give the same parts. */
  encode(body: OutboundBody, row: EncodedRow): readonly P[];
  /** `firstLine` is put above the part, which always has room for it. */
  send(chatKey: string, part: P, firstLine: string | null): Promise<Sent>;
  /** Left out: a message that is sent stays as it is, and changes come as new messages. */
  edit?(chatKey: string, messageId: string, part: P): Promise<Sent>;
  /** Takes a message away, if that is still possible. */
  remove?(chatKey: string, messageId: string): Promise<void>;
  removeButtons?(chatKey: string, messageId: string): Promise<void>;
  /** The bytes of a file that a person sent, by its `ref`. Never throws; an abort is `away`. Left out where there are no files. */
  fetchFile?(ref: string, options: { readonly limitBytes: number; readonly signal: AbortSignal }): Promise<Fetched>;
  /** Stops a pressed button's spinning; `toast` is shown for a moment. */
  answerPress?(pressId: string, toast: string | null): Promise<void>;
  typing?(chatKey: string): Promise<void>;
  /** How a text that is being written is shown. */
  readonly drafts?: {
    /** A chat is shown one at most this often. */
    readonly intervalMs: number;
    /**
     * Shows what is being written, as markdown, in a private chat, with a way to stop it. It disappears by itself and when a message
     * is sent there. Never throws.
     */
    show(chatKey: string, draft: { readonly draftId: number; readonly text: string }): Promise<Drafted>;
  };
  /** Makes clients offer the commands while a person types. Changes only what differs. Rejects when the channel is away. */
  offerCommands?(to: OfferedTo, signal: AbortSignal): Promise<void>;
  /** A link that opens a private chat with us, and sends this code when there is one; null while our own name there is not known. */
  link?(code: string | null): string | null;
  /** A link to a message for the members of its chat; null where the platform has none. Left out: it has none anywhere. */
  messageLink?(chatKey: string, messageId: string): string | null;
  /** Opens the channel's own server, before `listen`. It is closed before the listener, so that what it took in is finished. */
  serve?(): Promise<Closable & { readonly port: number }>;
  /**
   * Receives updates until closed. `admit` resolves once they are committed; only then the channel may forget them.
   * When it throws, the same updates come again.
   */
  listen(admit: (updates: readonly Incoming[]) => Promise<void>): Listening;
}

/** What a channel is opened with. */
export interface ChannelParts<C> {
  /** Its own variables, as its schema read them. */
  readonly config: C;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly redisUrl: string;
  /** Before every Redis key and pub/sub channel of this channel: no other reach is open to it. */
  readonly prefix: string;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
  /** Closes what is given when the gateway stops. */
  readonly own: Own;
  /** The gateway's public HTTP server, for plugins with routes of the channel. It listens once every channel is open. */
  readonly http: () => FastifyInstance;
  /** The address that it listens on. */
  readonly httpHost: string;
}

/** A channel as its folder registers it. Loading it must be cheap: `open` loads the rest. */
export interface ChannelKind<C extends z.ZodObject = z.ZodObject> {
  /** That of its folder. Keys of its chats and people begin with it: see shared/contracts/src/conversation/chat-key.ts. */
  readonly name: string;
  /** The variables that it reads, all of them its own. */
  readonly config: C;
  /** Throws as `open` does while something outside is to be mended, such as a file; opens nothing. Left out where there is no such thing. */
  check?(config: z.output<C>): void;
  /**
   * Throws CONFIG_INVALID or STARTUP_REFUSED when it cannot work; the other channels are opened all the same. Nothing is sent before
   * `listen` or the first send.
   */
  open(parts: ChannelParts<z.output<C>>): Promise<Channel>;
}
