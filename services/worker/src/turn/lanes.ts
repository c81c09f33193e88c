import { INBOUND_TOPIC, OUTBOUND_TOPIC, type WakeUp } from '@signalbox/contracts/conversation/topics';
import {
  claimLane,
  readLastStopId,
  sweepLanes,
  yieldLane,
  type ClaimOptions,
  type ClaimedLane,
  type OldestLane,
} from '@signalbox/store/turns/lanes';
import { withTransaction, type Pool } from '@signalbox/store/pool';
import { runFirst } from '@signalbox/store/pool-queue';
import { AppError } from '@signalbox/contracts/errors';
import { newId } from '@signalbox/contracts/ids';
import { runInLanguage } from '@signalbox/messages/language';
import { isInfrastructureError } from '@signalbox/store/infrastructure';
import { settleUnreadable } from '@signalbox/store/unreadable-messages';
import { extendLeases, Leases } from '@signalbox/store/leases';
import { showLiving } from '@signalbox/store/living';
import { runInBackground, type Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';
import { publishStored, type CountingPublisher } from '@signalbox/platform/streams/publish';
import { computeBackoffMs, sleep } from '@signalbox/contracts/time';
import { giveUpMessage } from '@signalbox/governance/give-up';
import { REPLY_TEXTS } from './reply.ts';
import { StoppedByPerson } from '@signalbox/governance/calls/call';
import { createLaneOrder, type LaneOrder } from './lane-order.ts';
import type { TurnSignals } from './turn-start.ts';

/*
 * A lane in this process:
 *
 *   wake-up → claim
 *    ├─ busy or nothing to do → dropped (the holder sees the message)
 *    ├─ too many attempts → dead letter, the person is told, finish
 *    └─ leased → heartbeat every second → turn → finish → wake again if more messages wait
 *        ├─ failed → yield with back-off (infrastructure) or counted (poison)
 *        └─ lease lost → abort, write nothing
 *
 * Lanes whose process died are suspects. Those that died with a second one are claimed one at a time. A live process that could not release a lane does so once
 * Postgres answers, without counting an attempt.
 */

const MAX_ATTEMPTS = 5;
const MAX_BATCH = 10;
const HEARTBEAT_MS = 1_000;
/** A process is overloaded when its heartbeats are later than this, or than half a lease. */
const LATE_MS = 2 * HEARTBEAT_MS;
/** Losing a lane this often in a row, while no other worker held it, points to a bug of ours. */
const LOST_AGAIN = 3;
const SWEEP_MS = 1_000;
/** A message that waits this long lost its wake-up: a crash, a lost Redis, a trimmed stream. */
const QUIET_MS = 5_000;
const SWEEP_LANES = 200;
/** The sweeper wakes at least this many lanes even while wake-ups wait: a lane that lost its wake-up must not wait for all others. */
const SWEEP_MINIMUM = 10;
/** The time that a closing worker lets its turns continue. */
const DRAIN_MS = 4_000;
const MAX_BACKOFF_MS = 30_000;
/** The longest pause after an outage: Postgres may return at any moment, but each attempt asks the model again. */
const MAX_INFRASTRUCTURE_BACKOFF_MS = 10_000;
/** Telegram shows "typing" for 5 s. The gateway shows it first, when it admits a message. */
const TYPING_EVERY_MS = 4_000;

export type TurnResult = 'finished' | 'yielded' | 'lost' | 'lost-again' | 'dead-lettered';

interface LeasedLane {
  readonly epoch: string;
  readonly claimed: ClaimedLane;
  readonly abort: AbortController;
  readonly lost: () => void;
  stopBefore: number;
  /** True when a wake-up came during the lease: the turn may have missed the new message. */
  wokenAgain: boolean;
}

interface Claim extends Pick<LeasedLane, 'wokenAgain'> {
  readonly userKey: string;
  /** The message that the lane is claimed for; null in a claim for whatever waits. */
  readonly messageId: string | null;
}

export interface LaneOptions extends Omit<ClaimOptions, 'maxMessages' | 'holder' | 'onlyFor'> {
  readonly pool: Pool;
  /** Gives one of its connections to the heartbeats. */
  readonly lockPool: Pool;
  readonly publisher: CountingPublisher;
  readonly log: Log;
  readonly timeZone: string;
  /** Processes the messages of a claimed lane and ends the turn. Returns true when more messages wait. */
  readonly turn: (claimed: ClaimedLane, signals: TurnSignals) => Promise<boolean>;
  readonly onTurn?: (result: TurnResult, durationMs: number) => void;
  readonly onThread?: (claimed: ClaimedLane) => void;
}

/** The lanes served by this process. Renews their leases, and sweeps for forgotten messages until closed. */
export class Lanes implements Closable {
  readonly #options: LaneOptions;
  readonly #holder = newId('wrk');
  readonly #living: ReturnType<typeof showLiving>;
  readonly #leased: Leases<LeasedLane>;
  /** Claims under way: two claims of a lane at once could let this process take a lane from itself. */
  readonly #claiming = new Map<string, Claim>();
  readonly #order: LaneOrder;
  /** Lanes that this process lost or could not release, and has not reported yet. */
  readonly #unreported = new Set<ClaimedLane>();
  /** Losses in a row by person, with the epoch of the last loss. */
  readonly #losses = new Map<string, { readonly epoch: string; readonly times: number }>();
  readonly #infrastructureFailures = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #sweeper: Closable;

  constructor(options: LaneOptions) {
    this.#options = options;
    const { lockPool, log, worker, leaseMs } = options;
    this.#living = showLiving(lockPool, this.#holder);
    this.#order = createLaneOrder(options.pool, () => [...this.#claiming.keys()]);
    this.#leased = new Leases({
      name: 'lanes',
      everyMs: HEARTBEAT_MS,
      leaseMs,
      log,
      heartbeat: (held) => extendLeases(this.#living, 'lane_beat', { holder: worker, leaseMs }, held),
    });
    this.#sweeper = startLoop({ name: 'sweep', everyMs: SWEEP_MS, log, step: () => this.#sweep() });
  }

  get running(): number {
    return this.#leased.size;
  }

  /** True while this process is overloaded: it would lose a lane that it claims, so another worker should claim it. */
  isLate(): boolean {
    return this.#leased.isLate(Math.max(LATE_MS, this.#options.leaseMs / 2));
  }

  /**
   * Resolves when the claim has answered; `work` continues. Called for each wake-up of the inbound stream. Its lane is claimed, or in a
   * backlog the lane that has waited longest.
   */
  async handle({ userKey, traceId }: WakeUp): Promise<{ readonly work: Promise<void> }> {
    const mine = this.#leased.get(userKey) ?? this.#claiming.get(userKey);
    if (mine) mine.wokenAgain = true;
    const isBacklog = this.#order.isBacklog();
    // The lane's holder or the sweeper finds the messages in the inbox. In a backlog, this wake-up serves another lane, because the wake-up
    // of another lane served this one.
    if ((mine && !isBacklog) || this.#stop.signal.aborted) return { work: Promise.resolve() };
    // The sweeper wakes the lane again.
    if (this.isLate()) {
      this.#options.log.warn('beats are late, no lane is claimed', { userKey });
      return { work: Promise.resolve() };
    }
    const tried = new Set<string>();
    const reserve = (lane: OldestLane): Claim | null => (tried.has(lane.userKey) ? null : this.#reserve(lane));
    for (;;) {
      const claim = isBacklog ? await this.#order.next(reserve) : this.#reserve({ userKey, messageId: null });
      if (!claim) return { work: Promise.resolve() };
      tried.add(claim.userKey);
      const begun = await this.#begin(claim, traceId);
      if (begun) return begun;
      // Another worker may have taken a lane of the backlog; then the wake-up is good for the next one.
      if (!isBacklog) return { work: Promise.resolve() };
    }
  }

  /** Claims a reserved lane and returns its work; null when there is none. */
  async #begin(claim: Claim, traceId: string): Promise<{ readonly work: Promise<void> } | null> {
    try {
      for (;;) {
        const claimed = await this.#claimReadable(claim);
        if (claimed) return { work: this.#work(claimed, traceId, claim.wokenAgain) };
        if (!claim.wokenAgain) return null;
        claim.wokenAgain = false; // a message that came after the claim had looked
      }
    } finally {
      this.#claiming.delete(claim.userKey);
    }
  }

  /** Null when this process holds the lane, or claims it already. */
  #reserve({ userKey, messageId }: Omit<Claim, 'wokenAgain'>): Claim | null {
    if (this.#leased.get(userKey) ?? this.#claiming.get(userKey)) return null;
    const claim = { userKey, messageId, wokenAgain: false };
    this.#claiming.set(userKey, claim);
    return claim;
  }

  /** Checks the lane now, after a /stop, instead of at the next heartbeat. */
  async nudge(userKey: string): Promise<void> {
    const lane = this.#leased.get(userKey);
    if (!lane) return;
    const stopBefore = await runFirst(() => readLastStopId(this.#options.pool, userKey));
    if (stopBefore <= lane.stopBefore) return;
    lane.stopBefore = stopBefore;
    lane.abort.abort(new StoppedByPerson());
  }

  /** Lets short turns finish. Longer turns are aborted at their next step; another worker continues them. */
  async close(): Promise<void> {
    this.#stop.abort();
    const deadlineMs = performance.now() + DRAIN_MS;
    while (this.running > 0 && performance.now() < deadlineMs) await sleep(20);
    for (const lane of this.#leased.values()) lane.abort.abort(new Error('the worker is shutting down'));
    while (this.running > 0) await sleep(20);
    await Promise.all([this.#leased.close(), this.#sweeper.close()]);
    await this.#living.close();
  }

  /** Claims a lane. Unreadable messages are settled first, since they would break every turn. */
  async #claimReadable({ userKey, messageId }: Claim): Promise<ClaimedLane | null> {
    const { pool, log } = this.#options;
    for (;;) {
      let failure: unknown;
      const options = { ...this.#options, holder: this.#holder, maxMessages: MAX_BATCH, onlyFor: messageId };
      const claimed = await claimLane(pool, userKey, options).catch((error: unknown) => {
        if (isInfrastructureError(error)) throw error;
        failure = error;
      });
      if (claimed === null || (claimed && claimed.messages.length > 0)) return claimed;
      const chats = await settleUnreadable(pool, userKey);
      if (claimed) await this.#yield(claimed);
      log.error('unreadable messages dead-lettered', { userKey, messages: chats.length });
      for (const chatKey of chats) await this.#notify(chatKey, 'unreadable', 'send');
      if (chats.length === 0) throw failure;
    }
  }

  async #work(claimed: ClaimedLane, traceId: string, wokenAgain: boolean): Promise<void> {
    const { userKey, epoch, stopBefore, suspect } = claimed;
    const abort = new AbortController();
    const lost = (): void => abort.abort(new AppError('LANE_LOST', { userKey }));
    const lane: LeasedLane = { epoch, claimed, abort, lost, stopBefore, wokenAgain };
    const release = this.#leased.hold(userKey, lane);
    const startedAt = performance.now();
    let result: TurnResult | undefined;
    try {
      result = await runInLanguage(claimed.language, () => this.#serve(lane, traceId, release));
    } catch (error) {
      result = await this.#giveBack(lane, error);
    } finally {
      if (result) this.#options.onTurn?.(result, performance.now() - startedAt);
      release();
      lost(); // ends the typing loop; the turn is over
      // A process claims such lanes one at a time, so the next claim waits for this turn.
      if (suspect && !this.#stop.signal.aborted) runInBackground(this.#options.log, 'sweep', this.#sweep());
    }
  }

  async #serve(lane: LeasedLane, traceId: string, release: () => void): Promise<TurnResult> {
    const { claimed, abort } = lane;
    const { userKey, stopBefore } = claimed;
    this.#options.onThread?.(claimed);
    if (claimed.attempts > MAX_ATTEMPTS) {
      if (await this.#deadLetter(claimed)) await this.#wake([userKey], traceId);
      return 'dead-lettered';
    }
    runInBackground(this.#options.log, 'typing', this.#showTyping(lane));
    const more = await this.#options.turn(claimed, {
      signal: abort.signal,
      stopBefore: () => (lane.stopBefore > stopBefore ? lane.stopBefore : 0),
    });
    release();
    this.#infrastructureFailures.clear(); // the infrastructure works again
    this.#losses.delete(userKey);
    if (more || lane.wokenAgain) await this.#wake([userKey], traceId);
    return 'finished';
  }

  /** Gives up a lane after an error. A lane not lost is released; the attempt counts unless the infrastructure failed. */
  async #giveBack({ claimed }: LeasedLane, error: unknown): Promise<'lost' | 'lost-again' | 'yielded'> {
    const { log } = this.#options;
    const { userKey, epoch, attempts } = claimed;
    if (error instanceof AppError && error.code === 'LANE_LOST') {
      this.#unreported.add(claimed);
      const times = this.#countLoss(claimed);
      if (times < LOST_AGAIN) log.warn('lane lost, turn dropped', { userKey, epoch });
      else log.error('lane lost again, and nobody else had it: this person is not answered', { userKey, epoch, times });
      return times < LOST_AGAIN ? 'lost' : 'lost-again';
    }
    const draining = this.#stop.signal.aborted;
    const infrastructure = draining || isInfrastructureError(error);
    const inARow = (this.#infrastructureFailures.get(userKey) ?? 0) + 1;
    if (infrastructure && !draining) this.#infrastructureFailures.set(userKey, inARow);
    // Infrastructure failures do not count as attempts.
    const [tried, limitMs] = infrastructure ? [inARow, MAX_INFRASTRUCTURE_BACKOFF_MS] : [attempts, MAX_BACKOFF_MS];
    const pauseMs = draining ? 0 : computeBackoffMs(tried, 250, limitMs);
    const facts = { userKey, attempts, infrastructure, pauseMs, error };
    log[draining ? 'info' : 'error']('turn not finished, lane given back', facts);
    await this.#yield(claimed, { countAttempt: !infrastructure, backoffMs: pauseMs }).catch((failure: unknown) => {
      log.warn('lane not given back; that is done when Postgres answers', { userKey, error: failure });
      this.#unreported.add(claimed);
    });
    // The sweeper wakes the lane after the pause; a timer here would end with this process.
    if (pauseMs === 0) await this.#wake([userKey], 'yield');
    return 'yielded';
  }

  /** Counts losses in a row. Epochs grow with each claim, so consecutive epochs mean that no other worker held the lane. */
  #countLoss({ userKey, epoch }: ClaimedLane): number {
    const before = this.#losses.get(userKey);
    const isInARow = before !== undefined && BigInt(before.epoch) + 1n === BigInt(epoch);
    const times = isInARow ? before.times + 1 : 1;
    this.#losses.set(userKey, { epoch, times });
    return times;
  }

  #yield(claimed: ClaimedLane, how = { countAttempt: false, backoffMs: 0 }): Promise<void> {
    return yieldLane(this.#options.pool, claimed, { holder: this.#holder, ...how });
  }

  /** Gives up only the first message of a batch that failed too often. Returns true when more messages wait. */
  async #deadLetter(claimed: ClaimedLane): Promise<boolean> {
    const [message] = claimed.messages;
    if (!message) return false;
    const { chatKey, traceId } = message.envelope;
    const { ref, more } = await withTransaction(this.#options.pool, (db) =>
      giveUpMessage(db, claimed, message, {
        attempts: MAX_ATTEMPTS,
        timeZone: this.#options.timeZone,
        words: REPLY_TEXTS.failed,
      }),
    );
    const facts = { userKey: claimed.userKey, inboxId: message.id, ref, traceId };
    this.#options.log.error('message dead-lettered', facts);
    await this.#notify(chatKey, traceId, 'send');
    return more;
  }

  async #showTyping({ claimed, abort }: LeasedLane): Promise<void> {
    const first = claimed.messages[0]?.envelope;
    await sleep(TYPING_EVERY_MS, abort.signal);
    while (first && !abort.signal.aborted) {
      await this.#notify(first.chatKey, first.traceId, 'typing');
      await sleep(TYPING_EVERY_MS, abort.signal);
    }
  }

  async #notify(chatKey: string, traceId: string, kind: 'send' | 'typing'): Promise<void> {
    const { publisher, log } = this.#options;
    await publisher
      .publish(OUTBOUND_TOPIC, [{ kind, chatKey, traceId }])
      .catch((error: unknown) => log.debug('not announced', { chatKey, kind, error }));
  }

  async #wake(userKeys: readonly string[], traceId: string): Promise<void> {
    const wakeUps = userKeys.map((userKey) => ({ userKey, traceId }));
    await publishStored(this.#options, INBOUND_TOPIC, wakeUps);
  }

  async #sweep(): Promise<void> {
    const { pool, publisher, log } = this.#options;
    if (this.#stop.signal.aborted) return;
    await this.#reportLost();
    // Wake-ups that wait in the stream are subtracted: their lanes need no other wake-up.
    const waiting = await publisher.waiting(INBOUND_TOPIC).catch(() => 0);
    this.#order.note(waiting);
    const lanes = await sweepLanes(pool, QUIET_MS, Math.max(SWEEP_MINIMUM, SWEEP_LANES - waiting));
    if (lanes.length > 0) log.info('lanes woken by the sweeper', { lanes: lanes.length });
    await this.#wake(lanes, 'sweep');
  }

  /** Reports lost lanes, so that they do not count as suspects of a dead process. */
  async #reportLost(): Promise<void> {
    for (const claimed of this.#unreported) {
      await this.#yield(claimed);
      this.#unreported.delete(claimed);
    }
  }
}
