import { INBOUND, OUTBOUND, type WakeUp } from '@signalbox/contracts/conversation/topics';
import {
  beatLanes,
  claimLane,
  readStopBefore,
  sweepLanes,
  yieldLane,
  type BeginOptions,
  type ClaimedLane,
} from '@signalbox/store/conversation/lanes';
import { withTransaction, type Pool } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import { newId } from '@signalbox/contracts/ids';
import { isInfrastructure } from '@signalbox/store/infrastructure';
import { settleUnreadable } from '@signalbox/store/unreadable-messages';
import { background, type Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { CountingPublisher } from '@signalbox/platform/streams/publish';
import { backoffMs, sleep } from '@signalbox/contracts/time';
import { giveUp } from '../governance/give-up.ts';
import { WORDS } from './reply.ts';
import { StoppedByPerson } from '../tools/tool-bounds.ts';
import type { TurnSignals } from './turn.ts';

/*
 * A lane in this process:
 *   wake-up → begin ─┬─ busy or nothing to do → forget it (the holder sees the message)
 *                    ├─ too many attempts     → dead letter, tell the person, finish
 *                    └─ begun → beat every second → turn → finish → wake again if more waits
 *                                 │                  └─ failed → yield with back-off (infrastructure) or counted (poison)
 *                                 └─ lease lost → abort, write nothing
 * A process that dies says nothing: what it held is suspected, and taken one at a time (infra/postgres/025_ledger.sql). One that lives
 * and could not give a lane back says so as soon as it can, and nothing is charged.
 */

/** After this many begins without progress a batch is poison. */
const MAX_ATTEMPTS = 5;
const MAX_BATCH = 10;
const BEAT_MS = 1_000;
const SWEEP_MS = 1_000;
/** A message that nobody woke for this long lost its wake-up: a crash, a lost Redis, a trimmed stream. */
const QUIET_MS = 5_000;
const SWEEP_LANES = 200;
/** Woken all the same while wake-ups wait in the stream: a lane whose own was lost must not wait for the last of them. */
const SWEEP_LEAST = 10;
/** How long a closing worker lets its turns run on. */
const DRAIN_MS = 4_000;
const MAX_BACKOFF_MS = 30_000;
/** Postgres may be back at any moment; until then each try asks the model again. */
const MAX_INFRASTRUCTURE_BACKOFF_MS = 10_000;
/** Telegram shows "typing" for 5 s; quick answers show none at all. */
const TYPING_AFTER_MS = 400;
const TYPING_EVERY_MS = 4_000;

interface Held {
  readonly begun: ClaimedLane;
  readonly abort: AbortController;
  stopBefore: number;
  /** A wake-up came while we held the lane: its message may have missed the look of the turn's end. */
  again: boolean;
}

export interface LaneOptions extends Omit<BeginOptions, 'maxMessages' | 'holder'> {
  readonly pool: Pool;
  readonly publisher: CountingPublisher;
  readonly log: Log;
  /** Handles the messages of a begun lane and ends the turn. True when more wait. */
  readonly turn: (begun: ClaimedLane, signals: TurnSignals) => Promise<boolean>;
  readonly onTurn?: (result: 'finished' | 'yielded' | 'lost' | 'dead-lettered', durationMs: number) => void;
  readonly onThread?: (begun: ClaimedLane) => void;
}

export interface Lanes extends Closable {
  /** Resolves when begin has answered; `work` runs on. Wire it to the inbound stream. */
  handle(wakeUp: WakeUp): Promise<{ readonly work: Promise<void> }>;
  /** A /stop nudge: looks at the lane now and not at the next beat. */
  nudge(userKey: string): Promise<void>;
  running(): number;
}

export function createLanes(options: LaneOptions): Lanes {
  const { pool, publisher, log, worker, leaseMs } = options;
  const held = new Map<string, Held>();
  /** Asked for and not answered: asking twice at once would let this process take its own lane when a lease runs out between. */
  const beginning = new Map<string, Pick<Held, 'again'>>();
  const stop = new AbortController();
  const holder = newId('wrk');
  const begin: BeginOptions = { ...options, holder, maxMessages: MAX_BATCH };
  /** Lanes that this process let go of without having said so. */
  const unsaid = new Set<ClaimedLane>();
  /** How often a person's turns failed by the infrastructure without one that went well. */
  const failedInARow = new Map<string, number>();

  const wake = async (userKeys: readonly string[], traceId: string): Promise<void> => {
    await publisher
      .publish(
        INBOUND,
        userKeys.map((userKey) => ({ userKey, traceId })),
      )
      .catch((error: unknown) =>
        log.warn('wake-up not published; the sweeper will', { lanes: userKeys.length, error }),
      );
  };

  const handle = async (wakeUp: WakeUp): Promise<{ work: Promise<void> }> => {
    const { userKey, traceId } = wakeUp;
    const mine = held.get(userKey) ?? beginning.get(userKey);
    if (mine) mine.again = true;
    // Not begun while this process works on it or stops: the messages stay in the inbox for the holder or the sweeper.
    if (mine || stop.signal.aborted) return { work: Promise.resolve() };
    const asked = { again: false };
    beginning.set(userKey, asked);
    try {
      for (;;) {
        const begun = await beginReadable(userKey);
        if (begun) return { work: work(begun, traceId, asked.again) };
        if (!asked.again) return { work: Promise.resolve() };
        asked.again = false; // a message that came after the look
      }
    } finally {
      beginning.delete(userKey);
    }
  };

  /** Begins a lane. What cannot be read is settled first: it would break every turn, or the begin itself. */
  const beginReadable = async (userKey: string): Promise<ClaimedLane | null> => {
    for (;;) {
      let failure: unknown;
      const begun = await claimLane(pool, userKey, begin).catch((error: unknown) => {
        if (isInfrastructure(error)) throw error;
        failure = error;
      });
      if (begun === null || (begun && begun.messages.length > 0)) return begun;
      const chats = await settleUnreadable(pool, userKey);
      if (begun) await yieldLane(pool, begun, { holder, countAttempt: false, backoffMs: 0 });
      log.error('unreadable messages dead-lettered', { userKey, messages: chats.length });
      for (const chatKey of chats) await announce(chatKey, 'unreadable', 'send');
      if (chats.length === 0) throw failure;
    }
  };

  /** Only this begin of it: the same lane may have been begun anew while the last one was winding up. */
  const release = (lane: Held): void => {
    if (held.get(lane.begun.userKey) === lane) held.delete(lane.begun.userKey);
  };

  const work = async (begun: ClaimedLane, traceId: string, again: boolean): Promise<void> => {
    const lane: Held = { begun, abort: new AbortController(), stopBefore: begun.stopBefore, again };
    held.set(begun.userKey, lane);
    const startedAt = performance.now();
    const done = (result: 'finished' | 'yielded' | 'lost' | 'dead-lettered'): void =>
      options.onTurn?.(result, performance.now() - startedAt);
    try {
      options.onThread?.(begun);
      if (begun.attempts > MAX_ATTEMPTS) {
        if (await deadLetter(begun)) await wake([begun.userKey], traceId);
        done('dead-lettered');
        return;
      }
      background(log, 'typing', showTyping(lane));
      const more = await options.turn(begun, {
        signal: lane.abort.signal,
        stopBefore: () => (lane.stopBefore > begun.stopBefore ? lane.stopBefore : 0),
      });
      release(lane);
      failedInARow.clear(); // the infrastructure is back
      if (more || lane.again) await wake([begun.userKey], traceId);
      done('finished');
    } catch (error) {
      done(await giveBack(lane, error));
    } finally {
      release(lane);
      lane.abort.abort(new AppError('LANE_LOST', { userKey: begun.userKey })); // ends the typing loop; the turn is over
      // Others that are suspected wait for this one.
      if (begun.suspect && !stop.signal.aborted) background(log, 'sweep', sweep());
    }
  };

  /** After a failed turn. A lost lane belongs to someone else; all else is given back, counted unless the infrastructure was at fault. */
  const giveBack = async ({ begun }: Held, error: unknown): Promise<'lost' | 'yielded'> => {
    if (error instanceof AppError && error.code === 'LANE_LOST') {
      log.warn('lane lost, turn dropped', { userKey: begun.userKey, epoch: begun.epoch });
      unsaid.add(begun);
      return 'lost';
    }
    const draining = stop.signal.aborted;
    const infrastructure = draining || isInfrastructure(error);
    const inARow = (failedInARow.get(begun.userKey) ?? 0) + 1;
    if (infrastructure && !draining) failedInARow.set(begun.userKey, inARow);
    // Tries that failed by the infrastructure are not counted, so that begun.attempts does not grow with them.
    const tried = infrastructure ? inARow : begun.attempts;
    const limitMs = infrastructure ? MAX_INFRASTRUCTURE_BACKOFF_MS : MAX_BACKOFF_MS;
    const pauseMs = draining ? 0 : backoffMs(tried, 250, limitMs);
    log[draining ? 'info' : 'error']('turn not finished, lane given back', {
      userKey: begun.userKey,
      attempts: begun.attempts,
      infrastructure,
      pauseMs,
      error,
    });
    await yieldLane(pool, begun, { holder, countAttempt: !infrastructure, backoffMs: pauseMs }).catch(
      (failure: unknown) => {
        log.warn('lane not given back; that is done when Postgres answers', { userKey: begun.userKey, error: failure });
        unsaid.add(begun);
      },
    );
    // A pause is waited for by the sweeper, which any worker runs; waiting here would be lost with this process.
    if (pauseMs === 0) await wake([begun.userKey], 'yield');
    return 'yielded';
  };

  /** This process lives, so no lane that slipped from it was its end. */
  const sayUnsaid = async (): Promise<void> => {
    for (const begun of unsaid) {
      await yieldLane(pool, begun, { holder, countAttempt: false, backoffMs: 0 });
      unsaid.delete(begun);
    }
  };

  /** Poison: only the first message is given up, so that the ones behind it get their chance. */
  const deadLetter = async (begun: ClaimedLane): Promise<boolean> => {
    const message = begun.messages[0];
    if (!message) return false;
    const { envelope } = message;
    const { ref, more } = await withTransaction(pool, (db) =>
      giveUp(db, begun, message, { attempts: MAX_ATTEMPTS, words: WORDS.failed }),
    );
    log.error('message dead-lettered', { userKey: begun.userKey, inboxId: message.id, ref, traceId: envelope.traceId });
    await announce(envelope.chatKey, envelope.traceId, 'send');
    return more;
  };

  const announce = (chatKey: string, traceId: string, kind: 'send' | 'typing'): Promise<void> =>
    publisher
      .publish(OUTBOUND, [{ kind, chatKey, traceId }])
      .catch((error: unknown) => log.debug('not announced', { chatKey, kind, error }));

  const showTyping = async (lane: Held): Promise<void> => {
    const first = lane.begun.messages[0]?.envelope;
    await sleep(TYPING_AFTER_MS, lane.abort.signal);
    while (first && !lane.abort.signal.aborted) {
      await announce(first.chatKey, first.traceId, 'typing');
      await sleep(TYPING_EVERY_MS, lane.abort.signal);
    }
  };

  const lookForStop = async (lane: Held): Promise<void> => {
    const stopBefore = await readStopBefore(pool, lane.begun.userKey);
    if (stopBefore <= lane.stopBefore) return;
    lane.stopBefore = stopBefore;
    lane.abort.abort(new StoppedByPerson());
  };

  /** Keeps our leases. A lease that could not be extended in its time counts as lost: another worker may have taken the lane. */
  const beatLoop = async (): Promise<void> => {
    let lastGoodMs = performance.now();
    while (!stop.signal.aborted || held.size > 0) {
      await sleep(BEAT_MS);
      const lanes = [...held.values()];
      if (lanes.length === 0) {
        lastGoodMs = performance.now();
        continue;
      }
      try {
        const lost = await beatLanes(
          pool,
          worker,
          lanes.map((lane) => lane.begun),
          leaseMs,
        );
        lastGoodMs = performance.now();
        for (const userKey of lost) lose(held.get(userKey), lanes);
      } catch (error) {
        log.warn('leases not extended', { lanes: lanes.length, error });
        if (performance.now() - lastGoodMs > leaseMs) lanes.forEach((lane) => lose(lane, lanes));
      }
    }
  };

  const lose = (lane: Held | undefined, asked: readonly Held[]): void => {
    // A lane that was finished, or begun anew, while the beat was under way is not the one that was asked about.
    if (lane && asked.includes(lane)) lane.abort.abort(new AppError('LANE_LOST', { userKey: lane.begun.userKey }));
  };

  const sweep = async (): Promise<void> => {
    try {
      await sayUnsaid();
      // Who waits in the stream has a wake-up; another one would only make the stream longer.
      const waiting = await publisher.waiting(INBOUND).catch(() => 0);
      const lanes = await sweepLanes(pool, QUIET_MS, Math.max(SWEEP_LEAST, SWEEP_LANES - waiting));
      if (lanes.length > 0) log.info('lanes woken by the sweeper', { lanes: lanes.length });
      await wake(lanes, 'sweep');
    } catch (error) {
      log.warn('sweep failed', { error });
    }
  };

  const sweepLoop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleep(SWEEP_MS, stop.signal);
      if (!stop.signal.aborted) await sweep();
    }
  };

  const loops = Promise.all([beatLoop(), sweepLoop()]);
  return {
    handle,
    running: () => held.size,
    nudge: async (userKey) => {
      const lane = held.get(userKey);
      if (lane) await lookForStop(lane);
    },
    close: async () => {
      stop.abort();
      // Short turns finish; longer ones are cut at their next step and go on in another worker from their checkpoint.
      const deadlineMs = performance.now() + DRAIN_MS;
      while (held.size > 0 && performance.now() < deadlineMs) await sleep(20);
      for (const lane of held.values()) lane.abort.abort(new Error('the worker is shutting down'));
      await loops;
    },
  };
}
