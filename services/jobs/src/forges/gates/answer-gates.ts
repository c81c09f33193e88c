import { UNREAD_FACTS, type GateForge } from '@signalbox/contracts/operations/gate';
import { AppError } from '@signalbox/contracts/errors';
import { abortAfter, computeBackoffMs, MINUTE_MS, SECOND_MS } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';
import type { Publisher } from '@signalbox/platform/streams/publish';
import {
  closeGate,
  postponeGate,
  readGateDecision,
  settleGateFacts,
  takeOpenGates,
  type GateDecision,
  type OpenGate,
} from '@signalbox/store/governance/gates';
import type { Pool } from '@signalbox/store/pool';
import { toGateAnswer } from './gate-comment.ts';
import type { GateAnswer, GateDriver, GateReply } from './gate-driver.ts';
import { createGateNews } from './gate-news.ts';

/*
 * A gate of a forge, from its webhook to its answer:
 *
 *   received ─▶ read (or given up) ─▶ people decide ─▶ answered ─┬─ taken ───────────────▶ closed
 *                                                        ▲       ├─ away, refused ──┐
 *                                                        └───────┴── after a pause ◀┘
 *                                                                └─ over ─▶ deciders are told ─▶ closed
 *
 * While people decide, the forge is asked each minute: a run that has ended there is gone, and its request is withdrawn.
 * The row of the gate is the queue: a process takes it for a while, and any process goes on after that.
 */

const EVERY_MS = SECOND_MS;
/** Longer than reading and answering take together. */
const LEASE_MS = MINUTE_MS;
const MAX_AT_ONCE = 10;
/** How long people wait for what is read; the worker waits a little longer. */
const READ_MS = 6 * SECOND_MS;
const ANSWER_MS = 30 * SECOND_MS;
const POLL_MS = 2 * SECOND_MS;
const PAUSE_MS = 5 * SECOND_MS;
const MAX_PAUSE_MS = 5 * MINUTE_MS;
/** Tries after which the deciders are told of a forge that does not answer: about two minutes. */
const QUIET_TRIES = 4;

export interface GateAnswerDeps {
  readonly pool: Pool;
  readonly publisher: Publisher;
  readonly log: Log;
  /** The forges for which there is a login. */
  readonly drivers: Readonly<Partial<Record<GateForge, GateDriver>>>;
  readonly pauseMs?: number;
}

/** Reads and answers the gates of forges, until closed. Several processes may do so at once. */
export function startGateAnswers(deps: GateAnswerDeps): Closable {
  const { pool, log } = deps;
  const stopping = new AbortController();
  const loop = startLoop({
    name: 'gates',
    everyMs: EVERY_MS,
    log,
    step: async () => {
      const gates = await takeOpenGates(pool, LEASE_MS, MAX_AT_ONCE);
      await Promise.all(gates.map((gate) => followGate(deps, gate, stopping.signal)));
    },
  });
  return {
    close: () => {
      stopping.abort();
      return loop.close();
    },
  };
}

async function followGate(deps: GateAnswerDeps, gate: OpenGate, stopping: AbortSignal): Promise<void> {
  const { pool, log, drivers } = deps;
  const { eventId, forge } = gate;
  const driver = drivers[forge];
  try {
    if (!gate.hasFacts) {
      const within = AbortSignal.any([stopping, abortAfter(READ_MS)]);
      await settleGateFacts(pool, eventId, (await driver?.read(gate, within)) ?? UNREAD_FACTS);
    }
    const decision = await readGateDecision(pool, eventId);
    const answer = toGateAnswer(decision);
    if (answer !== null) return await sendAnswer(deps, gate, decision, answer, stopping);
    if (gate.isLate) return await closeGate(pool, eventId, 'late');
    if (gate.isUnseen && (await isOver(deps, gate, stopping))) return await closeGate(pool, eventId, 'gone');
    await postponeGate(pool, eventId, { afterMs: POLL_MS, isSeen: gate.isUnseen });
  } catch (error) {
    // The row is taken again after its lease.
    log.warn('gate not followed', { eventId, error });
  }
}

/** True when the run has ended at the forge. A forge that does not answer keeps nobody from deciding. */
async function isOver({ drivers, log }: GateAnswerDeps, gate: OpenGate, stopping: AbortSignal): Promise<boolean> {
  const within = AbortSignal.any([stopping, abortAfter(READ_MS)]);
  return (
    (await drivers[gate.forge]?.isOver(gate, within).catch((error: unknown) => {
      log.debug('run not looked at', { eventId: gate.eventId, error });
      return false;
    })) ?? false
  );
}

async function sendAnswer(
  deps: GateAnswerDeps,
  gate: OpenGate,
  decision: GateDecision,
  answer: GateAnswer,
  stopping: AbortSignal,
): Promise<void> {
  const { pool, log, pauseMs = PAUSE_MS } = deps;
  const { eventId, tries, isTold } = gate;
  const news = createGateNews(deps, gate, decision.deciders);
  const reply = await tryAnswer(deps, gate, answer, stopping);
  if (reply.kind === 'taken') {
    await closeGate(pool, eventId, answer.state);
    if (isTold) await news.tellTaken();
    log.info('gate answered', { eventId, state: answer.state });
    return;
  }
  const { error, isOver } = reply;
  const isEnd = isOver || gate.isLate;
  // A forge that is away for a moment is nobody's business; one that refuses is.
  const tells = !isTold && (isEnd || error.code === 'FORGE_REFUSED' || tries >= QUIET_TRIES);
  log.warn('gate not answered', { eventId, isEnd, error });
  if (tells) await news.tellRefused(answer.state, error, isEnd);
  const afterMs = computeBackoffMs(tries, pauseMs, MAX_PAUSE_MS);
  if (isEnd) await news.endRefused(answer.state);
  else await postponeGate(pool, eventId, { afterMs, isTry: true, isTold: tells });
}

async function tryAnswer(
  { drivers }: GateAnswerDeps,
  gate: OpenGate,
  answer: GateAnswer,
  stopping: AbortSignal,
): Promise<GateReply> {
  const { forge, repository } = gate;
  const driver = drivers[forge];
  if (!driver) {
    const detail = say('gate.no-login', { forge });
    return { kind: 'refused', error: new AppError('FORGE_REFUSED', { forge, repository, detail }), isOver: false };
  }
  try {
    return await driver.answer(gate, answer, AbortSignal.any([stopping, abortAfter(ANSWER_MS)]));
  } catch (error) {
    if (error instanceof AppError) return { kind: 'refused', error, isOver: false };
    throw error;
  }
}
