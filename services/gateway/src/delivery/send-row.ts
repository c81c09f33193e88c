import { MESSAGE_LINK, OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { SendProgress, OutboxItem, RowResult } from './outgoing.ts';
import { computeBackoffMs } from '@signalbox/contracts/time';
import type { ChallengeStore } from '@signalbox/plugins/plugin';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import type { Queryable } from '@signalbox/store/pool';
import { removeDecisionButtons } from '../channels/decided-elsewhere.ts';
import type { Channel, SendResult } from '../channels/channel.ts';
import { createPartSender } from './send-part.ts';
import type { Throttle } from './throttle.ts';
import { say } from '@signalbox/messages/say';
import { CODE_PLACEHOLDER, computeCode, computeAnswerMac } from '@signalbox/safety/secrets/step-up-code';

/** Result of one attempt to send, for the row or for the whole chat. */
export type SendOutcome =
  | { readonly kind: 'settle'; readonly result: RowResult; readonly pauseMs: number | null; readonly edited: boolean }
  | { readonly kind: 'park'; readonly reason: string; readonly delivery: SendProgress }
  | { readonly kind: 'move'; readonly result: RowResult; readonly chatKey: string }
  /** Another gateway holds the chat now. */
  | { readonly kind: 'lost' };

export type RowSender = ReturnType<typeof createRowSender>;

export interface SendContext {
  readonly signal: AbortSignal;
  /** Stores the progress of the row; false when this gateway lost the chat. */
  note(delivery: SendProgress): Promise<boolean>;
  /** Waits until the throttle grants the next part, or until the signal aborts. */
  waitForSend(): Promise<unknown>;
}

/** Maximum attempts to send a row. Waits and missing connections do not count. */
const MAX_ATTEMPTS = 8;
/** Number of attempts with rich formatting; later attempts use the simple form. */
const RICH_ATTEMPTS = 4;
/** Maximum age of a message that is sent. */
const MAX_AGE_MS = 24 * 3_600_000;
const BUSY_BASE_MS = 5_000;
const RETRY_BASE_MS = 1_000;
const RETRY_MAX_MS = 300_000;
const UNREACHABLE_MAX_MS = 30_000;

type Failure = Exclude<SendResult, { kind: 'sent' }>;

export function createRowSender(deps: {
  readonly pool: Queryable;
  readonly channel: Channel;
  readonly throttle: Throttle;
  readonly cipher: SecretSealer;
  readonly challenges: ChallengeStore;
}) {
  const { pool, channel, throttle } = deps;
  const { sendPart, unreachable } = createPartSender({ channel, throttle });

  return {
    /** Sends one row part by part; the throttle has already granted the first part. Never throws for failures of the channel. */
    async send(chatKey: string, item: OutboxItem, lane: SendContext): Promise<SendOutcome> {
      const body = OutboundBody.safeParse(item.body);
      if (!body.success) return toSettled(item, 'failed', item.delivery, 'the stored body is not readable');
      const filled = withMessageLink(channel, chatKey, withMissedCount(body.data));
      const decided = channel.takesDecisions ? filled : await removeDecisionButtons(pool, filled);
      const shown = await fillInCode(pool, deps, decided);
      const before = item.base?.messageIds ?? [];
      const base = body.data.anew ? [] : before;
      if (isUnsupportedChange(channel, base, body.data))
        return { ...toSettled(item, 'sent', { messageIds: base, trying: null }, null), edited: true };
      const messageIds = [...item.delivery.messageIds];
      const firstIndex = messageIds.length;
      let simpleFrom = getSimpleFrom(item);
      const encode = (): readonly unknown[] => channel.encode(shown, { chatKey, outboxId: item.id, simpleFrom });
      const toDelivery = (trying: number | null): SendProgress => ({ messageIds, trying, simpleFrom });
      let parts = encode();
      let edited = true;
      const isNews = body.data.onlyChanges !== true;
      for (let index = firstIndex; index < parts.length; index += 1) {
        if (index > firstIndex) {
          if (!(await lane.note(toDelivery(null)))) return { kind: 'lost' };
          await lane.waitForSend();
          if (lane.signal.aborted) return toSettled(item, 'pending', toDelivery(null), null, { uncounted: true });
          if (!(await lane.note(toDelivery(index)))) return { kind: 'lost' };
        }
        const editing = base[index];
        // The first line warns of a possible repetition, which edits do not need.
        const firstLine = index === firstIndex && item.ambiguous ? say('gateway.repeated') : null;
        const trySending = (): Promise<SendResult> =>
          sendPart({ chatKey, part: parts[index], editing, isNews, firstLine, signal: lane.signal });
        let sent = await trySending();
        if (sent.kind === 'too-rich' && simpleFrom === null) {
          simpleFrom = index;
          parts = encode();
          // Stored before sending, because after a crash the next gateway must split the row in the same way.
          if (!(await lane.note(toDelivery(index)))) return { kind: 'lost' };
          sent = await trySending();
        }
        // The new state of an approval card is not sent when the card's message was deleted.
        if (sent.kind === 'gone' && editing !== undefined && !isNews) sent = { kind: 'sent', messageId: editing };
        if (sent.kind !== 'sent') return toFailedOutcome(item, sent, toDelivery(index), unreachable());
        messageIds.push(sent.messageId);
        edited &&= sent.messageId === editing;
      }
      // Removes surplus parts of the edited message, or all parts when a new message replaces it.
      const surplus = body.data.anew ? before : base.slice(parts.length);
      for (const messageId of surplus) await channel.remove?.(chatKey, messageId);
      return { ...toSettled(item, 'sent', { messageIds, trying: null }, null), edited };
    },
  };
}

function withMissedCount(body: OutboundBody): OutboundBody {
  return body.missed === undefined ? body : { ...body, text: say('gateway.missed', { count: body.missed }) };
}

function withMessageLink(channel: Channel, chatKey: string, body: OutboundBody): OutboundBody {
  if (body.linkTo === undefined) return body;
  const link = channel.messageLink?.(chatKey, body.linkTo) ?? null;
  const text = body.text.replaceAll(/\[([^\][]+)\]\(([^()]+)\)/g, (all, words: string, target: string) => {
    if (target !== MESSAGE_LINK) return all;
    return link === null ? words : `[${words}](${link})`;
  });
  return { ...body, text };
}

/** True for progress and votes on a channel without edits, where each change would be a message of its own. */
function isUnsupportedChange(channel: Channel, base: readonly string[], { progress, buttons }: OutboundBody): boolean {
  const isChange = progress !== undefined || buttons.some(({ act }) => act !== undefined);
  return !channel.edit && base.length > 0 && isChange;
}

function getSimpleFrom({ delivery, attempts }: OutboxItem): number | null {
  const { messageIds, simpleFrom } = delivery;
  // Rows older than the rich form have no `simpleFrom`.
  if (messageIds.length > 0 && simpleFrom === undefined) return 0;
  // A proxy may drop rich messages silently, so later attempts use the simple form.
  return simpleFrom ?? (attempts > RICH_ATTEMPTS ? messageIds.length : null);
}

/** Returns the result for a row of which a part failed. Attempts and age are limited, so that every row is settled in the end. */
function toFailedOutcome(item: OutboxItem, failure: Failure, delivery: SendProgress, unreachable: number): SendOutcome {
  // The refusal says nothing about an earlier attempt at the same part, which may have arrived.
  const isOpen = item.ambiguous && item.delivery.messageIds.length === delivery.messageIds.length;
  const known: SendProgress = isOpen ? delivery : { ...delivery, trying: null };
  const expired = item.ageMs > MAX_AGE_MS;
  const isOutOfTries = item.attempts >= MAX_ATTEMPTS;
  const giveUp = (error: string): SendOutcome => toSettled(item, 'failed', known, error);
  const wait = (error: string | null, pauseMs?: number) =>
    toSettled(item, 'pending', known, error, { uncounted: true, ...(pauseMs === undefined ? {} : { pauseMs }) });
  switch (failure.kind) {
    case 'blocked':
      return { kind: 'park', reason: failure.reason, delivery: known };
    case 'moved':
      return { kind: 'move', result: wait(null).result, chatKey: failure.chatKey };
    case 'wait':
      return expired ? giveUp('asked to wait for a day') : wait(null, failure.retryAfterMs);
    case 'unreachable':
      if (expired) return giveUp(`unreachable for a day: ${failure.detail}`);
      return wait(failure.detail, computeBackoffMs(unreachable - 1, RETRY_BASE_MS, UNREACHABLE_MAX_MS));
    case 'busy': {
      if (isOutOfTries || expired) return giveUp(failure.detail);
      const pauseMs = computeBackoffMs(item.attempts - 1, BUSY_BASE_MS, RETRY_MAX_MS);
      return toSettled(item, 'pending', known, failure.detail, { pauseMs });
    }
    case 'ambiguous': {
      if (isOutOfTries || expired) return toSettled(item, 'failed', delivery, `unknown after send: ${failure.detail}`);
      const pauseMs = computeBackoffMs(item.attempts - 1, RETRY_BASE_MS, RETRY_MAX_MS);
      return toSettled(item, 'pending', delivery, failure.detail, { pauseMs });
    }
    case 'gone':
      return giveUp('the message is gone');
    case 'rejected':
    case 'too-rich':
      return giveUp(failure.detail);
  }
}

function toSettled(
  item: OutboxItem,
  status: RowResult['status'],
  delivery: SendProgress,
  error: string | null,
  options: { readonly uncounted?: boolean; readonly pauseMs?: number } = {},
): Extract<SendOutcome, { kind: 'settle' }> {
  const result = { id: item.id, status, delivery, error, uncounted: options.uncounted ?? false };
  return { kind: 'settle', result, pauseMs: options.pauseMs ?? null, edited: false };
}

/** Inserts a challenge's code into the message; only a keyed hash of the code is stored. Sends no code of a void challenge. */
async function fillInCode(
  db: Queryable,
  { cipher, challenges }: { readonly cipher: SecretSealer; readonly challenges: ChallengeStore },
  body: OutboundBody,
): Promise<OutboundBody> {
  if (body.code === undefined) return body;
  const { challengeId } = body.code;
  const code = computeCode(cipher, challengeId);
  const isValid = await challenges.markSent(db, challengeId, computeAnswerMac(cipher, challengeId, code));
  return { ...body, text: isValid ? body.text.replaceAll(CODE_PLACEHOLDER, code) : say('gateway.code-void') };
}
