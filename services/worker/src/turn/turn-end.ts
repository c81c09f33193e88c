import {
  SEND_PRIORITY,
  type Attachment,
  type InboxOutcome,
  type OutboundEnvelope,
} from '@signalbox/contracts/conversation/envelope';
import type { PassRecord, RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { say } from '@signalbox/messages/say';
import type { ClaimedLane, InboxMessage, TurnEnd, TurnOutcome, PendingCard } from '@signalbox/store/turns/lanes';
import { newId } from '@signalbox/contracts/ids';
import type { AgentReply, AgentResult } from '../agents/agent.ts';
import { REPLY_TEXTS } from './reply.ts';
import { createUsageMeter, type UsageMeter } from './spending.ts';

interface EndParts {
  readonly settings: { readonly worker: string; readonly idleMs: number };
}

/** A thread's title and summary; null: unchanged. */
export interface ThreadTitle {
  readonly title: string | null;
  readonly summary: string | null;
}

export interface TurnContext {
  readonly lane: ClaimedLane;
  readonly batch: readonly InboxMessage[];
  readonly threadId: string;
  readonly chatKey: string;
  readonly traceId: string;
  readonly turnId: string;
  readonly startedAt: Date;
  readonly spending: UsageMeter;
}

/** Ends a completed turn: an outcome per message, a row per reply. `shownWith`: files share their words' outcome. */
export function createTurnEnd(
  parts: EndParts,
  context: TurnContext,
  result: AgentResult & { readonly about: ThreadTitle },
  shownWith: ReadonlyMap<string, string> = new Map(),
): TurnEnd {
  const { lane, batch, threadId } = context;
  const handled = batch.filter(({ envelope }) => !result.unhandled.includes(shownWith.get(envelope.id) ?? envelope.id));
  const notes = expiredNotes(parts, lane);
  const answered = { ...context, batch: handled.length > 0 ? handled : batch };
  return {
    turn: toTurnRow(parts, context, result.outcome, { passes: result.passes, toolCalls: result.toolCalls }),
    // The newest message was answered; earlier messages of the batch were merged into its turn.
    outcomes: handled.map((message, index) => ({
      id: message.id,
      outcome: index === handled.length - 1 ? 'answered' : 'merged',
      reason: null,
    })),
    replies: pointing(
      answered,
      result,
      [...notes, ...result.replies].map((reply) => buildOutbound(answered, reply, result.personal)),
    ),
    thread: {
      threadId,
      status: result.outcome === 'finished' ? 'finished' : 'open',
      awaiting: result.outcome === 'waiting',
      ...result.about,
    },
  };
}

/**
 * While a request waits in this chat, typed words decide nothing: an answer without effect points to the approval card, unless this person
 * was pointed at it before.
 */
function pointing(
  context: TurnContext,
  { record: { passes } }: Pick<AgentResult, 'record'>,
  replies: TurnEnd['replies'],
): TurnEnd['replies'] {
  const [card] = context.lane.waiting;
  const last = replies.at(-1);
  const isAsked = context.batch.some(({ envelope }) => envelope.kind === 'message');
  if (!card || !last || !isAsked || passes.some((pass) => isElse(pass, card))) return replies;
  const { messageId } = card;
  // Private chats have no links to messages, so the answer replies to the approval card.
  const isPrivate = last.body.replyTo === undefined;
  const aim = { [isPrivate ? 'replyTo' : 'linkTo']: messageId };
  const text = `${last.body.text}\n\n${REPLY_TEXTS.stillWaiting(context.lane.waiting, !isPrivate && messageId !== null)}`;
  const pointsTo = context.lane.waiting.map(({ approvalId }) => approvalId);
  const body = { ...last.body, text, pointsTo, ...(messageId === null ? {} : aim) };
  return [...replies.slice(0, -1), { ...last, body }];
}

/** The tool for questions about one's requests, which concern the approval card. */
const ABOUT_CARDS = 'get_my_requests';

/** True when policy was asked about a call that shares no value with this approval card. */
function isElse({ calls }: PassRecord, { what }: PendingCard): boolean {
  const words = new Set(what.split(/[\s“”„«»,]+/));
  const isAbout = ({ tool, arguments: args }: RecordedDecision['action']): boolean =>
    tool === ABOUT_CARDS || Object.values(args).some((value) => words.has(String(value)));
  return calls.some(({ decided }) => decided !== null && !isAbout(decided.action));
}

/** Ends a turn that was stopped or failed, with the sentence to the person. The thread stays open. */
export function createEarlyEnd(
  parts: EndParts,
  context: TurnContext,
  outcome: 'stopped' | 'failed',
  { replies, why }: { readonly replies: readonly AgentReply[]; readonly why: string },
): TurnEnd {
  const settled: InboxOutcome = outcome === 'stopped' ? 'stopped' : 'answered';
  return {
    turn: toTurnRow(parts, context, outcome, { error: outcome === 'failed' ? why : null }),
    outcomes: settleAll(context.batch, settled, outcome),
    // Only the requester sees a failure; everybody in a group sees a stop.
    replies: replies.map((reply) => buildOutbound(context, reply, outcome === 'failed')),
    thread: leaveThread(context.threadId, 'open'),
  };
}

/** Handles /new: closes the thread of this chat; the next message starts another. */
export function closeThread(lane: ClaimedLane, message: InboxMessage): TurnEnd {
  const text = REPLY_TEXTS.newThread(lane.threadId !== null);
  const reply = buildOutbound(buildTurnContext(lane, message), { key: message.envelope.id, text, buttons: [] });
  return {
    turn: null,
    outcomes: settleAll([message], 'answered', '/new'),
    replies: [{ ...reply, turnId: null }],
    thread: lane.threadId === null ? null : leaveThread(lane.threadId, 'closed'),
  };
}

/** Reports the end of a job, or an incident, unchanged beside the conversation, without the agent. */
export function endWithEventNotice(
  parts: EndParts,
  lane: ClaimedLane,
  message: InboxMessage,
  besides: Besides,
): TurnEnd {
  return endWithNotice(parts, buildTurnContext(lane, message), toNoticeText(message.envelope), besides);
}

type Besides = Partial<Pick<AgentReply, 'buttons' | 'receipts' | 'files'>>;

export function toNoticeText(envelope: InboxMessage['envelope']): string {
  if (envelope.kind !== 'incident') return envelope.kind === 'job-finished' ? envelope.say : '';
  const { quote } = envelope;
  return quote ? `${envelope.say}\n\n${say('turn.fromItsLog')}\n${toCodeBlock(quote)}` : envelope.say;
}

export function endWithNotice(parts: EndParts, context: TurnContext, text: string, besides: Besides): TurnEnd {
  const { batch, turnId } = context;
  const key = batch[0]?.envelope.id ?? turnId;
  return {
    turn: toTurnRow(parts, context, 'notice'),
    outcomes: settleAll(batch, 'answered', 'notice'),
    replies: [buildOutbound(context, { key, text, buttons: [], ...besides })],
    thread: null,
  };
}

/** Answers files without words that were not kept, whose content no tool can read, with possible next steps. */
export function answerFiles(
  parts: EndParts,
  lane: ClaimedLane,
  batch: readonly InboxMessage[],
  files: readonly Attachment[],
): TurnEnd {
  const context = { ...buildTurnContext(lane, batch[0] as InboxMessage), batch }; // a batch holds at least the first message
  const end = endWithFiles(parts, context, REPLY_TEXTS.filesOnly(files));
  // A thread that began with these files is closed.
  return lane.threadNew ? { ...end, thread: leaveThread(context.threadId, 'closed') } : end;
}

/** Ends a turn of files without words. The thread stays as it is, even with an open question. */
export function endWithFiles(parts: EndParts, context: TurnContext, text: string): TurnEnd {
  const [{ envelope }] = context.batch as readonly [InboxMessage]; // a batch holds at least the first message
  // An album whose parts arrive late is answered once.
  const key = `files:${(envelope.kind === 'message' && envelope.album) || envelope.id}`;
  const replies = [...expiredNotes(parts, context.lane), { key, text, buttons: [] }];
  return {
    turn: toTurnRow(parts, context, 'notice'),
    outcomes: settleAll(context.batch, 'answered', 'no words'),
    replies: replies.map((reply) => buildOutbound(context, reply, true)),
    thread: null,
  };
}

/** Sets the thread's status and drops its open question; the title stays. */
export function leaveThread(threadId: string, status: 'open' | 'closed'): TurnEnd['thread'] {
  return { threadId, status, awaiting: false, title: null, summary: null };
}

function expiredNotes(parts: EndParts, { expired, orphaned = [], threadId }: ClaimedLane): readonly AgentReply[] {
  const [agent] = orphaned;
  if (agent !== undefined)
    return [{ key: `orphaned:${threadId ?? ''}`, text: REPLY_TEXTS.orphaned(agent), buttons: [] }];
  if (!expired) return [];
  const text = REPLY_TEXTS.expired(expired.title, parts.settings.idleMs);
  return [{ key: `expired:${expired.threadId}`, text, buttons: [] }];
}

export function buildTurnContext(lane: ClaimedLane, message: InboxMessage): TurnContext {
  const { traceId, chatKey } = message.envelope;
  return {
    lane,
    batch: [message],
    threadId: lane.threadId ?? '',
    chatKey,
    traceId,
    turnId: newId('turn'),
    startedAt: lane.now(),
    spending: createUsageMeter(),
  };
}

export function toTurnRow(
  parts: EndParts,
  context: TurnContext,
  outcome: TurnOutcome,
  figures: Partial<Pick<NonNullable<TurnEnd['turn']>, 'passes' | 'toolCalls' | 'error'>> = {},
): TurnEnd['turn'] {
  const { turnId, threadId, traceId, startedAt, spending } = context;
  return {
    turnId,
    threadId: threadId || null,
    worker: parts.settings.worker,
    traceId,
    model: spending.model(),
    outcome,
    usage: spending.usage(),
    passes: 0,
    toolCalls: 0,
    error: null,
    ...figures,
    startedAt: startedAt.toISOString(),
  };
}

/** Builds an outbox row from a reply, with a key unique in the thread. In a group only the person sees personal replies. */
export function buildOutbound(context: TurnContext, reply: AgentReply, personal = false): OutboundEnvelope {
  const { lane, batch, threadId, turnId, chatKey, traceId } = context;
  const inGroup = batch.some(({ envelope }) => envelope.kind === 'message' && envelope.chatKind === 'group');
  const whispered = batch.some(({ envelope }) => envelope.kind === 'message' && envelope.whisper);
  return {
    key: `${threadId || lane.userKey}/${reply.key}`,
    chatKey,
    userKey: lane.userKey,
    threadId: threadId || null,
    turnId,
    traceId,
    priority: SEND_PRIORITY.reply,
    slot: reply.slot === undefined ? null : `${threadId || lane.userKey}/${reply.slot}`,
    body: {
      text: reply.text,
      ...(reply.onlyChanges ? { onlyChanges: true } : {}),
      ...(reply.receipts && reply.receipts.length > 0 ? { receipts: [...reply.receipts] } : {}),
      buttons: [...reply.buttons],
      ...replyTo(context),
      ...(inGroup && (personal || whispered) ? { onlyFor: lane.userKey } : {}),
      ...(reply.files ? { files: [...reply.files] } : {}),
    },
  };
}

/** In a group the answer replies to the question's message. */
function replyTo({ batch }: TurnContext): { readonly replyTo?: string } {
  const asked = batch.findLast(({ envelope }) => envelope.kind === 'message')?.envelope;
  if (asked?.kind !== 'message' || asked.chatKind !== 'group' || asked.messageId === null) return {};
  return { replyTo: asked.messageId };
}

export function settleAll(
  messages: readonly InboxMessage[],
  outcome: InboxOutcome,
  reason: string,
): TurnEnd['outcomes'] {
  return messages.map(({ id }) => ({ id, outcome, reason }));
}
