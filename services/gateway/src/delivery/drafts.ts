import { runInBackground, type Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { getChannel } from '@signalbox/contracts/conversation/chat-key';
import type { Draft } from '@signalbox/platform/streams/drafts';
import { sleep } from '@signalbox/contracts/time';
import type { Channel } from '../channels/channel.ts';
import type { DraftClaims } from './draft-claim.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { Throttle } from './throttle.ts';

/*
 * A draft is a preview of the text that the model is writing. When anything goes wrong, the draft is left out.
 *
 * received → (interval over, no message being sent, sends not short, claim held) → shown → newest text shown → …
 * A turn's first draft does not wait for spare sends: people see at once that the answer begins.
 * → final: the claim is released after the running call → forgotten
 * 429 from the channel: for the given time no gateway shows drafts in that chat; when a second chat is refused meanwhile, this one
 *   shows none at all
 * draft refused: no drafts in this chat until the next turn · channel without drafts: none until the process restarts
 *
 * A message ends the drafts of its turn: its worker publishes the final draft first, and the sending gateway waits for
 * running draft calls of all gateways. If a call stalls, or the final draft is lost, a copy of the answer's end stays below
 * the answer for up to 30 s.
 */

const MAX_DRAFT_WAIT_MS = 500;
/** Time for which a chat gets no drafts after a gateway that drafted there did not release its claim. */
const CLOSED_MS = 3_000;
/** Delay before a draft is tried again while few sends are left or a message is being sent. */
const BUSY_MS = 250;
/** Time for which a complete draft is remembered, until its message follows. */
const LINGER_MS = 5_000;
/** Time after which a draft is forgotten: Telegram shows a draft for 30 s, and workers repeat drafts after 20 s. */
const FORGET_MS = 30_000;

export interface DraftsDeps {
  readonly channel: Pick<Channel, 'name' | 'throttleOf'>;
  readonly drafts: NonNullable<Channel['drafts']>;
  readonly throttle: Pick<Throttle, 'waitMs' | 'tryTakeSign' | 'tryTakeSpare'>;
  readonly claims: DraftClaims;
  readonly isSending: (chatKey: string) => boolean;
  readonly log: Log;
  readonly metrics: Pick<GatewayMetrics, 'drafts'>;
}

class DraftChat {
  readonly chatKey: string;
  turnId: string;
  /** The turn whose first draft was shown. */
  begunTurnId: string | null = null;
  seq = 0;
  draftId: number;
  text = '';
  isUnshown = false;
  /** True when the draft text is final and its message will follow. */
  isComplete = false;
  isRefused = false;
  isClaimed = false;
  dueMs = 0;
  receivedMs = 0;
  calling: Promise<void> | null = null;
  wake = new AbortController();

  constructor({ chatKey, turnId, draftId }: Draft) {
    this.chatKey = chatKey;
    this.turnId = turnId;
    this.draftId = draftId;
  }
}

/** Shows drafts in private chats, until closed. */
export class Drafts implements Closable {
  readonly #deps: DraftsDeps;
  readonly #chats = new Map<string, DraftChat>();
  readonly #following = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  /** False once the channel has refused drafts in general. */
  #isSupported = true;
  #pausedUntilMs = 0;
  /** The chat that was refused last, and until when. */
  #refused = { chatKey: '', untilMs: 0 };

  constructor(deps: DraftsDeps) {
    this.#deps = deps;
  }

  /** Takes a draft that a worker published. Never throws. */
  receive(draft: Draft): void {
    const { chatKey, turnId, seq, draftId, text, final } = draft;
    const { channel, log } = this.#deps;
    if (!this.#isSupported || this.#stop.signal.aborted) return;
    if (getChannel(chatKey) !== channel.name || channel.throttleOf(chatKey) !== 'private') return;
    const before = this.#chats.get(chatKey);
    if (before && (turnId < before.turnId || (turnId === before.turnId && seq <= before.seq))) return;
    const chat = before ?? new DraftChat(draft);
    const isRefused = chat.isRefused && turnId === chat.turnId;
    const received: Partial<DraftChat> = {
      turnId,
      seq,
      draftId,
      text,
      isRefused,
      isUnshown: !final,
      isComplete: final,
    };
    Object.assign(chat, received, { receivedMs: performance.now() });
    if (before) return chat.wake.abort();
    if (final) return;
    this.#chats.set(chatKey, chat);
    const work = this.#follow(chat).finally(() => this.#following.delete(work));
    this.#following.add(work);
    runInBackground(log, 'drafts', work);
  }

  /** Must be called before a message is sent: waits until no draft call of its turn is running, for MAX_DRAFT_WAIT_MS at most. */
  async waitForDraftEnd(chatKey: string): Promise<void> {
    const chat = this.#chats.get(chatKey);
    if (!chat) return;
    if (!chat.isComplete) {
      // A message sent before the text is final removes the draft, so the draft is shown again.
      chat.isUnshown = true;
      chat.wake.abort();
      return;
    }
    const { claims } = this.#deps;
    if (chat.calling) await Promise.race([chat.calling, sleep(MAX_DRAFT_WAIT_MS)]);
    else if (!(await claims.untilFree(chatKey, MAX_DRAFT_WAIT_MS))) await claims.close(chatKey, CLOSED_MS);
  }

  isShowing(chatKey: string): boolean {
    const chat = this.#chats.get(chatKey);
    const isShown = chat !== undefined && !chat.isComplete && !chat.isRefused;
    const untilMs = this.#refused.chatKey === chatKey ? this.#refused.untilMs : 0;
    return isShown && this.#isSupported && performance.now() >= Math.max(untilMs, this.#pausedUntilMs);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#following);
  }

  /** Runs from the first draft of a chat until no new draft has come for a while. */
  async #follow(chat: DraftChat): Promise<void> {
    try {
      while (this.#isSupported && !this.#stop.signal.aborted) {
        chat.wake = new AbortController(); // Set before the chat is read, so that a draft received from now on ends the wait
        if (chat.isComplete) await this.#release(chat);
        const isDue = chat.isUnshown && !chat.isRefused;
        const expiryMs = chat.receivedMs + (chat.isComplete ? LINGER_MS : FORGET_MS);
        const untilMs = isDue ? Math.max(chat.dueMs, this.#pausedUntilMs) : expiryMs;
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

  async #release(chat: DraftChat): Promise<void> {
    if (!chat.isClaimed) return;
    chat.isClaimed = false;
    await this.#deps.claims.release(chat.chatKey);
  }

  async #show(chat: DraftChat): Promise<void> {
    const { isSending, throttle, claims, drafts } = this.#deps;
    const { chatKey } = chat;
    const isFirst = chat.begunTurnId !== chat.turnId;
    const tryTake = isFirst ? throttle.tryTakeSign : throttle.tryTakeSpare;
    if (isSending(chatKey) || throttle.waitMs(chatKey, 'private') > 0 || !tryTake()) {
      chat.dueMs = performance.now() + BUSY_MS;
      return;
    }
    chat.begunTurnId = chat.turnId;
    chat.dueMs = performance.now() + drafts.intervalMs;
    chat.isClaimed = await claims.take(chatKey);
    // Another gateway shows this chat's draft, or the text became complete while this gateway claimed the chat.
    if (!chat.isClaimed) chat.isUnshown = false;
    if (!chat.isUnshown || this.#stop.signal.aborted) return;
    chat.isUnshown = false;
    chat.calling = this.#call(chat).finally(() => (chat.calling = null));
    await chat.calling;
  }

  async #call(chat: DraftChat): Promise<void> {
    const { drafts, claims, log, metrics } = this.#deps;
    const { chatKey, turnId, draftId, text } = chat;
    const shown = await drafts.show(chatKey, { draftId, text });
    metrics.drafts.add({ result: shown.kind });
    if (shown.kind === 'shown') return;
    log.debug('draft not shown', { chatKey, turnId, shown });
    switch (shown.kind) {
      case 'wait':
        await claims.close(chatKey, shown.retryAfterMs);
        this.#pause(chat, shown.retryAfterMs + 1); // Ends after the closed claim, or the next draft would find it taken
        return;
      case 'refused':
        chat.isRefused = chat.turnId === turnId;
        return;
      case 'unknown':
        if (this.#isSupported) log.info('this channel knows no drafts, only typing is shown', { chatKey });
        this.#isSupported = false;
        return;
      case 'failed':
        return; // The next draft may succeed
    }
  }

  /** Channels limit drafts by chat, so one person's pause is nobody else's, until a second chat is refused. */
  #pause(chat: DraftChat, retryAfterMs: number): void {
    const { chatKey } = chat;
    const now = performance.now();
    const untilMs = now + retryAfterMs;
    const isSecond = this.#refused.chatKey !== chatKey && now < this.#refused.untilMs;
    if (isSecond) this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    chat.dueMs = Math.max(chat.dueMs, untilMs);
    this.#refused = { chatKey, untilMs };
  }
}
