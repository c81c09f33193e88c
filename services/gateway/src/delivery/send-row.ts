import { MESSAGE_LINK, OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { Delivery, OutboxItem, RowResult } from './outgoing.ts';
import { backoffMs } from '@signalbox/contracts/time';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import type { Queryable } from '@signalbox/store/pool';
import { withoutDecisions } from '../channels/decided-elsewhere.ts';
import type { Channel, Sent } from '../channels/channel.ts';
import { createPartSender } from './send-part.ts';
import type { Throttle } from './throttle.ts';
import { say } from '@signalbox/messages/say';
import { withCode } from './written-code.ts';

/** What became of one try: a result to write down, or something that concerns the whole chat. */
export type Outcome =
  | { readonly kind: 'settle'; readonly result: RowResult; readonly pauseMs: number | null; readonly edited: boolean }
  | { readonly kind: 'park'; readonly reason: string; readonly delivery: Delivery }
  | { readonly kind: 'move'; readonly result: RowResult; readonly chatKey: string }
  /** Another gateway has the chat by now. */
  | { readonly kind: 'lost' };

export type RowSender = ReturnType<typeof createRowSender>;

/** What a row needs of the lane that sends it. */
export interface RowLane {
  readonly signal: AbortSignal;
  /** Writes down how far the row has come; false when the chat was lost. */
  note(delivery: Delivery): Promise<boolean>;
}

/** Tries of one row until it is given up; a refusal or an unknown fate counts, waiting and a missing connection do not. */
const MAX_ATTEMPTS = 8;
/** Tries in the rich form, before the simple one gets the rest of them. */
const RICH_ATTEMPTS = 4;
/** An answer that is a day late helps no one. */
const MAX_AGE_MS = 24 * 3_600_000;
const BUSY_BASE_MS = 5_000;
const RETRY_BASE_MS = 1_000;
const RETRY_MAX_MS = 300_000;
const UNREACHABLE_MAX_MS = 30_000;

type Failure = Exclude<Sent, { kind: 'sent' }>;

/** Sends rows through one channel. */
export function createRowSender(deps: {
  readonly pool: Queryable;
  readonly channel: Channel;
  readonly pace: Throttle;
  readonly cipher: SecretSealer;
}) {
  const { pool, channel, pace, cipher } = deps;
  const { sendPart, waitForThrottle, unreachable } = createPartSender({ channel, pace });

  return {
    /** Sends one row, part by part. The first part's send was taken from the pace already. Never throws for what the channel does. */
    async send(chatKey: string, item: OutboxItem, lane: RowLane): Promise<Outcome> {
      const body = OutboundBody.safeParse(item.body);
      if (!body.success) return settle(item, 'failed', item.delivery, 'the stored body is not readable');
      const said = withMessageLink(channel, chatKey, withMissed(body.data));
      const decided = channel.takesDecisions ? said : await withoutDecisions(pool, said);
      const shown = await withCode(pool, cipher, decided);
      const before = item.base?.messageIds ?? [];
      const base = body.data.anew ? [] : before;
      if (cannotChange(channel, base, body.data))
        return { ...settle(item, 'sent', { messageIds: base, trying: null }, null), edited: true };
      const messageIds = [...item.delivery.messageIds];
      const first = messageIds.length;
      let simpleFrom = readForm(item);
      const encode = (): readonly unknown[] => channel.encode(shown, { chatKey, outboxId: item.id, simpleFrom });
      const reached = (trying: number | null): Delivery => ({ messageIds, trying, simpleFrom });
      let parts = encode();
      const kind = channel.throttleOf(chatKey);
      let edited = true;
      const isNews = body.data.onlyChanges !== true;
      for (let place = first; place < parts.length; place += 1) {
        if (place > first) {
          if (!(await lane.note(reached(null)))) return { kind: 'lost' };
          await waitForThrottle(chatKey, kind, lane.signal);
          if (lane.signal.aborted) return settle(item, 'pending', reached(null), null, { uncounted: true });
          if (!(await lane.note(reached(place)))) return { kind: 'lost' };
        }
        const editing = base[place];
        // Only a new message can be seen twice: an edit ignores it.
        const firstLine = place === first && item.ambiguous ? say('gateway.repeated') : null;
        const trySending = (): Promise<Sent> =>
          sendPart({ chatKey, part: parts[place], editing, isNews, firstLine, signal: lane.signal });
        let sent = await trySending();
        if (sent.kind === 'too-rich' && simpleFrom === null) {
          simpleFrom = place;
          parts = encode();
          // Before it is sent: after a crash the next gateway has to count the same parts.
          if (!(await lane.note(reached(place)))) return { kind: 'lost' };
          sent = await trySending();
        }
        // A settled card that no one can see is no news, and needs no message of its own.
        if (sent.kind === 'gone' && editing !== undefined && !isNews) sent = { kind: 'sent', messageId: editing };
        if (sent.kind !== 'sent') return fail(item, sent, reached(place), unreachable());
        messageIds.push(sent.messageId);
        edited &&= sent.messageId === editing;
      }
      // The message that this one replaces had more parts, or stands further up.
      const surplus = body.data.anew ? before : base.slice(parts.length);
      for (const messageId of surplus) await channel.remove?.(chatKey, messageId);
      return { ...settle(item, 'sent', { messageIds, trying: null }, null), edited };
    },
  };
}

/** What stands in the place of messages that are too old to be sent. */
function withMissed(body: OutboundBody): OutboundBody {
  return body.missed === undefined ? body : { ...body, text: say('gateway.missed', { count: body.missed }) };
}

/** Gives links to the message that the body names their address; without one, their words stay. */
function withMessageLink(channel: Channel, chatKey: string, body: OutboundBody): OutboundBody {
  if (body.linkTo === undefined) return body;
  const link = channel.messageLink?.(chatKey, body.linkTo) ?? null;
  const text = body.text.replaceAll(/\[([^\][]+)\]\(([^()]+)\)/g, (all, words: string, target: string) => {
    if (target !== MESSAGE_LINK) return all;
    return link === null ? words : `[${words}](${link})`;
  });
  return { ...body, text };
}

/** Where nothing can be changed, each step of work would be a message of its own, and so would each vote on a card. */
function cannotChange(channel: Channel, base: readonly string[], { progress, buttons }: OutboundBody): boolean {
  const isChange = progress !== undefined || buttons.some(({ act }) => act !== undefined);
  return !channel.edit && base.length > 0 && isChange;
}

/** From which part on the row goes out in the simple form; null when it is rich throughout. */
function readForm({ delivery, attempts }: OutboxItem): number | null {
  const { messageIds, simpleFrom } = delivery;
  // Parts that were sent before there was a rich form.
  if (messageIds.length > 0 && simpleFrom === undefined) return 0;
  // What keeps failing may be too much for something on the way that does not say so.
  return simpleFrom ?? (attempts > RICH_ATTEMPTS ? messageIds.length : null);
}

/** What a failed part means for its row. Every path ends: tries and age are bounded. */
function fail(item: OutboxItem, failure: Failure, delivery: Delivery, unreachable: number): Outcome {
  // A refusal says nothing about an earlier try of the same part: what may have arrived then stays open.
  const isOpen = item.ambiguous && item.delivery.messageIds.length === delivery.messageIds.length;
  const known: Delivery = isOpen ? delivery : { ...delivery, trying: null };
  const expired = item.ageMs > MAX_AGE_MS;
  const worn = item.attempts >= MAX_ATTEMPTS;
  const giveUp = (error: string): Outcome => settle(item, 'failed', known, error);
  /** Waiting and a missing connection are no tries. */
  const wait = (error: string | null, pauseMs?: number) =>
    settle(item, 'pending', known, error, { uncounted: true, ...(pauseMs === undefined ? {} : { pauseMs }) });
  switch (failure.kind) {
    case 'blocked':
      return { kind: 'park', reason: failure.reason, delivery: known };
    case 'moved':
      return { kind: 'move', result: wait(null).result, chatKey: failure.chatKey };
    case 'wait':
      return expired ? giveUp('asked to wait for a day') : wait(null, failure.retryAfterMs);
    case 'unreachable':
      if (expired) return giveUp(`unreachable for a day: ${failure.detail}`);
      return wait(failure.detail, backoffMs(unreachable - 1, RETRY_BASE_MS, UNREACHABLE_MAX_MS));
    case 'busy': {
      if (worn || expired) return giveUp(failure.detail);
      const pauseMs = backoffMs(item.attempts - 1, BUSY_BASE_MS, RETRY_MAX_MS);
      return settle(item, 'pending', known, failure.detail, { pauseMs });
    }
    case 'ambiguous': {
      if (worn || expired) return settle(item, 'failed', delivery, `unknown after send: ${failure.detail}`);
      const pauseMs = backoffMs(item.attempts - 1, RETRY_BASE_MS, RETRY_MAX_MS);
      return settle(item, 'pending', delivery, failure.detail, { pauseMs });
    }
    case 'gone':
      return giveUp('the message is gone');
    case 'rejected':
    case 'too-rich':
      return giveUp(failure.detail);
  }
}

function settle(
  item: OutboxItem,
  status: RowResult['status'],
  delivery: Delivery,
  error: string | null,
  options: { readonly uncounted?: boolean; readonly pauseMs?: number } = {},
): Extract<Outcome, { kind: 'settle' }> {
  const result = { id: item.id, status, delivery, error, uncounted: options.uncounted ?? false };
  return { kind: 'settle', result, pauseMs: options.pauseMs ?? null, edited: false };
}
