import { background, type Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { getChannel } from '@signalbox/contracts/conversation/chat-key';
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
 *   429: this gateway shows no draft anywhere for that time, and no gateway shows one in that chat
 *   refused: none in this chat until the next turn · the channel knows no drafts: none until the process starts again
 *
 * A message ends the drafts of its turn. The worker says so before it stores the message, the gateway that sends the message waits
 * until no draft call is under way, here or in another gateway. What is left: a gateway that stands still between taking the claim
 * and calling, or a lost word of the end. The person then sees a copy of the end of the answer below it, for 30 s at most.
 */

/** How long a message waits at most for a draft that is on its way. */
const MAKE_WAY_MS = 500;
/** For how long a gateway that did not release its claim may show nothing. */
const CLOSED_MS = 3_000;
/** The next try while sends are short, or while a message goes out. */
const BUSY_MS = 250;
/** How long a whole text is remembered, for the message that follows. */
const LINGER_MS = 5_000;
/** The channel shows a draft for 30 s; workers repeat theirs after 20. */
const FORGET_MS = 30_000;

export interface DraftsDeps {
  readonly channel: Pick<Channel, 'name' | 'throttleOf'>;
  /** How the channel shows them. */
  readonly drafts: NonNullable<Channel['drafts']>;
  readonly pace: Pick<Throttle, 'waitMs' | 'tryTakeSpare'>;
  readonly claims: DraftClaims;
  /** Whether a message goes out to this chat. */
  readonly busy: (chatKey: string) => boolean;
  readonly log: Log;
  readonly metrics: Pick<GatewayMetrics, 'drafts'>;
}

/** A chat with a draft. */
class Chat {
  readonly chatKey: string;
  turnId: string;
  seq = 0;
  draftId: number;
  text = '';
  /** What is to be shown next is `text`; else all of it was shown, or there is nothing to show. */
  fresh = false;
  /** The text is whole: its message follows. */
  whole = false;
  refused = false;
  claimed = false;
  dueMs = 0;
  heardMs = 0;
  calling: Promise<void> | null = null;
  wake = new AbortController();

  constructor({ chatKey, turnId, draftId }: Draft) {
    this.chatKey = chatKey;
    this.turnId = turnId;
    this.draftId = draftId;
  }
}

/** Shows drafts in private chats. `close` ends all of them. */
export class Drafts implements Closable {
  readonly #deps: DraftsDeps;
  readonly #chats = new Map<string, Chat>();
  /** One loop for each chat with a draft. */
  readonly #following = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  /** False once the channel has said that it knows no drafts. */
  #isSupported = true;
  #pausedUntilMs = 0;

  constructor(deps: DraftsDeps) {
    this.#deps = deps;
  }

  /** For the listener: takes in what is being written. Never throws. */
  hear(draft: Draft): void {
    const { chatKey, turnId, seq, draftId, text, final } = draft;
    const { channel, log } = this.#deps;
    if (!this.#isSupported || this.#stop.signal.aborted) return;
    if (getChannel(chatKey) !== channel.name || channel.throttleOf(chatKey) !== 'private') return;
    const before = this.#chats.get(chatKey);
    if (before && (turnId < before.turnId || (turnId === before.turnId && seq <= before.seq))) return;
    const chat = before ?? new Chat(draft);
    const refused = chat.refused && turnId === chat.turnId;
    const heard: Partial<Chat> = { turnId, seq, draftId, text, refused, fresh: !final, whole: final };
    Object.assign(chat, heard, { heardMs: performance.now() });
    if (before) return chat.wake.abort();
    if (final) return;
    this.#chats.set(chatKey, chat);
    const work = this.#follow(chat).finally(() => this.#following.delete(work));
    this.#following.add(work);
    background(log, 'drafts', work);
  }

  /** Before a message goes out: resolves when no draft of what it ends is under way, after half a second at most. */
  async makeWay(chatKey: string): Promise<void> {
    const chat = this.#chats.get(chatKey);
    if (!chat) return;
    if (!chat.whole) {
      // Another message, in the middle of the text: it takes the draft away, which is then shown again.
      chat.fresh = true;
      chat.wake.abort();
      return;
    }
    const { claims } = this.#deps;
    if (chat.calling) await Promise.race([chat.calling, sleep(MAKE_WAY_MS)]);
    else if (!(await claims.untilFree(chatKey, MAKE_WAY_MS))) await claims.close(chatKey, CLOSED_MS);
  }

  /** Whether the person can see that something is being written there. */
  shows(chatKey: string): boolean {
    const chat = this.#chats.get(chatKey);
    const isShown = chat !== undefined && !chat.whole && !chat.refused;
    return isShown && this.#isSupported && performance.now() >= this.#pausedUntilMs;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#following);
  }

  /** Runs from the first draft of a chat until nothing was heard for a while. */
  async #follow(chat: Chat): Promise<void> {
    try {
      while (this.#isSupported && !this.#stop.signal.aborted) {
        chat.wake = new AbortController(); // before the look at the chat: what is heard from now on ends the wait
        if (chat.whole) await this.#release(chat);
        const isDue = chat.fresh && !chat.refused;
        const untilMs = isDue ? Math.max(chat.dueMs, this.#pausedUntilMs) : forgottenMs(chat);
        const waitMs = untilMs - performance.now();
        if (waitMs > 0) await sleep(waitMs, AbortSignal.any([chat.wake.signal, this.#stop.signal]));
        else if (isDue) await this.#show(chat);
        else return;
      }
    } finally {
      this.#chats.delete(chat.chatKey);
      await this.#release(chat);
    }
  }

  async #release(chat: Chat): Promise<void> {
    if (!chat.claimed) return;
    chat.claimed = false;
    await this.#deps.claims.release(chat.chatKey);
  }

  async #show(chat: Chat): Promise<void> {
    const { busy, pace, claims, drafts } = this.#deps;
    const { chatKey } = chat;
    if (busy(chatKey) || pace.waitMs(chatKey, 'private') > 0 || !pace.tryTakeSpare()) {
      chat.dueMs = performance.now() + BUSY_MS;
      return;
    }
    chat.dueMs = performance.now() + drafts.intervalMs;
    chat.claimed = await claims.take(chatKey);
    // Another gateway shows this chat's draft. And during the claim the text may have become whole.
    if (!chat.claimed) chat.fresh = false;
    if (!chat.fresh || this.#stop.signal.aborted) return;
    chat.fresh = false;
    chat.calling = this.#call(chat).finally(() => (chat.calling = null));
    await chat.calling;
  }

  async #call(chat: Chat): Promise<void> {
    const { drafts, claims, log, metrics } = this.#deps;
    const { chatKey, turnId, draftId, text } = chat;
    const shown = await drafts.show(chatKey, { draftId, text });
    metrics.drafts.add({ result: shown.kind });
    if (shown.kind === 'shown') return;
    log.debug('draft not shown', { chatKey, turnId, shown });
    switch (shown.kind) {
      case 'wait':
        this.#pausedUntilMs = Math.max(this.#pausedUntilMs, performance.now() + shown.retryAfterMs);
        await claims.close(chatKey, shown.retryAfterMs);
        return;
      case 'refused':
        chat.refused = chat.turnId === turnId;
        return;
      case 'unknown':
        if (this.#isSupported) log.info('this channel knows no drafts, only typing is shown', { chatKey });
        this.#isSupported = false;
        return;
      case 'failed':
        return; // The next one may come through.
    }
  }
}

function forgottenMs(chat: Chat): number {
  return chat.heardMs + (chat.whole ? LINGER_MS : FORGET_MS);
}
