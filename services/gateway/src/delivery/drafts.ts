import { background, type Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { Draft } from '@signalbox/platform/streams/drafts';
import { sleep } from '@signalbox/contracts/time';
import type { Channel } from '../channels/channel.ts';
import type { DraftClaims } from './draft-claim.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { Throttle } from './throttle.ts';

/*
 * What a chat is shown of a text that is being written. A preview: whatever goes wrong, it is left out.
 *
 *   heard → (its interval is over, no message goes out there, sends are not short, the claim is ours) → shown → the newest of
 *           what was heard meanwhile → … → final: the claim is given up after the call under way → forgotten
 *   429: this gateway shows no draft anywhere for as long as it was told, nobody any in that chat
 *   refused: none in this chat until the next turn · the channel knows no drafts: none until the process starts again
 *
 * A message ends the drafts of its turn. The worker says so before it stores the message, the gateway that sends the message waits
 * until no draft call is under way, here or in another gateway. What is left: a gateway that stands still between taking the claim
 * and calling, or a lost word of the end. The person then sees a copy of the end of the answer below it, for 30 s at most.
 */

/** A message is held up no longer than this by a draft that is on its way. */
const MAKE_WAY_MS = 500;
/** How long a gateway that did not let go is kept from showing what it still has. */
const CLOSED_MS = 3_000;
/** Sends are short, or a message goes out: looked at again after this. */
const BUSY_MS = 250;
/** A text that was whole is remembered so long, for the message that follows. */
const LINGER_MS = 5_000;
/** The channel shows a draft for 30 s; workers repeat theirs after 20. */
const FORGET_MS = 30_000;

export interface Drafts extends Closable {
  /** For the listener: takes in what is being written. Never throws. */
  hear(draft: Draft): void;
  /** Before a message goes out: resolves when no draft of what it ends is under way, after half a second at most. */
  makeWay(chatKey: string): Promise<void>;
  /** Whether the person can see that something is being written there. */
  shows(chatKey: string): boolean;
}

export interface DraftsDeps {
  readonly channel: Pick<Channel, 'owns' | 'throttleOf' | 'draft'>;
  readonly pace: Pick<Throttle, 'waitMs' | 'tryTakeSpare'>;
  readonly claims: DraftClaims;
  /** A chat is shown a draft at most this often. */
  readonly intervalMs: number;
  /** Whether a message goes out to this chat. */
  readonly busy: (chatKey: string) => boolean;
  readonly log: Log;
  readonly metrics: Pick<GatewayMetrics, 'drafts'>;
}

interface Chat {
  readonly chatKey: string;
  turnId: string;
  seq: number;
  draftId: number;
  text: string;
  /** What is to be shown next is `text`; else all of it was shown, or there is nothing to show. */
  fresh: boolean;
  /** The text is whole: its message follows. */
  whole: boolean;
  refused: boolean;
  claimed: boolean;
  dueMs: number;
  heardMs: number;
  calling: Promise<void> | null;
  wake: AbortController;
}

/** Shows drafts in private chats. `close` ends all of them. */
export function createDrafts(deps: DraftsDeps): Drafts {
  const { channel, pace, claims, intervalMs, log, metrics } = deps;
  const chats = new Map<string, Chat>();
  const stop = new AbortController();
  const following = new Set<Promise<void>>();
  let known = true;
  let pausedUntilMs = 0;

  const hear = (draft: Draft): void => {
    const { chatKey, turnId, seq } = draft;
    if (!known || stop.signal.aborted || !channel.owns(chatKey) || channel.throttleOf(chatKey) !== 'private') return;
    const before = chats.get(chatKey);
    if (before && (turnId < before.turnId || (turnId === before.turnId && seq <= before.seq))) return;
    const chat = before ?? createChat(draft);
    if (turnId !== chat.turnId) chat.refused = false;
    chat.turnId = turnId;
    chat.seq = seq;
    chat.draftId = draft.draftId;
    chat.text = draft.text;
    chat.fresh = !draft.final;
    chat.whole = draft.final;
    chat.heardMs = performance.now();
    if (before) return chat.wake.abort();
    if (chat.whole) return;
    chats.set(chatKey, chat);
    const work = follow(chat);
    following.add(work);
    background(
      log,
      'drafts',
      work.finally(() => following.delete(work)),
    );
  };

  /** From the first draft that is heard of a chat until nothing was heard for a while. */
  const follow = async (chat: Chat): Promise<void> => {
    try {
      while (known && !stop.signal.aborted) {
        chat.wake = new AbortController(); // before the look at what there is: what is heard from now on ends the wait
        if (chat.whole) await letGo(chat);
        const isDue = chat.fresh && !chat.refused;
        const waitMs = (isDue ? Math.max(chat.dueMs, pausedUntilMs) : forgottenMs(chat)) - performance.now();
        if (waitMs > 0) await sleep(waitMs, AbortSignal.any([chat.wake.signal, stop.signal]));
        else if (isDue) await show(chat);
        else return;
      }
    } finally {
      chats.delete(chat.chatKey);
      await letGo(chat);
    }
  };

  const letGo = async (chat: Chat): Promise<void> => {
    if (!chat.claimed) return;
    chat.claimed = false;
    await claims.release(chat.chatKey);
  };

  const show = async (chat: Chat): Promise<void> => {
    const { chatKey } = chat;
    if (deps.busy(chatKey) || pace.waitMs(chatKey, 'private') > 0 || !pace.tryTakeSpare()) {
      chat.dueMs = performance.now() + BUSY_MS;
      return;
    }
    chat.dueMs = performance.now() + intervalMs;
    chat.claimed = await claims.take(chatKey);
    // While we asked, the text may have become whole; what another gateway shows is not ours to show.
    if (!chat.claimed) chat.fresh = false;
    if (!chat.fresh || stop.signal.aborted) return;
    chat.fresh = false;
    chat.calling = call(chat).finally(() => (chat.calling = null));
    await chat.calling;
  };

  const call = async (chat: Chat): Promise<void> => {
    const { chatKey, turnId, draftId, text } = chat;
    const shown = await channel.draft(chatKey, { draftId, text });
    metrics.drafts.add({ result: shown.kind });
    if (shown.kind === 'shown') return;
    log.debug('draft not shown', { chatKey, turnId, shown });
    switch (shown.kind) {
      case 'wait':
        pausedUntilMs = Math.max(pausedUntilMs, performance.now() + shown.retryAfterMs);
        await claims.close(chatKey, shown.retryAfterMs);
        return;
      case 'refused':
        chat.refused = chat.turnId === turnId;
        return;
      case 'unknown':
        if (known) log.info('this channel knows no drafts, only typing is shown', { chatKey });
        known = false;
        return;
      case 'failed':
        return; // The next one may come through.
    }
  };

  return {
    hear,
    makeWay: async (chatKey) => {
      const chat = chats.get(chatKey);
      if (!chat) return;
      if (!chat.whole) {
        // Another message, in the middle of the text: it takes the draft away, which is then shown again.
        chat.fresh = true;
        chat.wake.abort();
        return;
      }
      if (chat.calling) await Promise.race([chat.calling, sleep(MAKE_WAY_MS)]);
      else if (!(await claims.untilFree(chatKey, MAKE_WAY_MS))) await claims.close(chatKey, CLOSED_MS);
    },
    shows: (chatKey) => {
      const chat = chats.get(chatKey);
      return known && chat !== undefined && !chat.whole && !chat.refused && performance.now() >= pausedUntilMs;
    },
    close: async () => {
      stop.abort();
      await Promise.allSettled(following);
    },
  };
}

function forgottenMs(chat: Chat): number {
  return chat.heardMs + (chat.whole ? LINGER_MS : FORGET_MS);
}

function createChat({ chatKey, turnId, draftId }: Draft): Chat {
  return {
    chatKey,
    turnId,
    seq: 0,
    draftId,
    text: '',
    fresh: false,
    whole: false,
    refused: false,
    claimed: false,
    dueMs: 0,
    heardMs: 0,
    calling: null,
    wake: new AbortController(),
  };
}
