import { explain } from '@signalbox/messages/say';
import { isFinal, type DeployFailure, type DeployState } from '@signalbox/contracts/operations/deploy';
import type { DeployResult } from '@signalbox/contracts/operations/operations';
import type { WorkRow } from '@signalbox/store/deploy/deployments-rows';
import { isTransient } from '@signalbox/store/pool';
import { AppError, toAppError, type ErrorCode } from '@signalbox/contracts/errors';
import { SECOND_MS, abortAfter, backoffMs, pause, sleep } from '@signalbox/contracts/time';
import type { JobContext } from '../runner/handlers.ts';
import { CancelRequested, limitOf } from './leased-deployment.ts';
import { readCleanLines } from './lines.ts';
import { KEPT_ARTIFACTS, type DeployParts } from './parts.ts';
import { requireSamePlace } from './steps/plan.ts';
import { build, prepare } from './steps/prepare.ts';
import { endProgress, startProgress } from './progress.ts';
import { recover } from './steps/recover.ts';
import { checkHealth, start } from './steps/start.ts';
import { drain, switchOver, verify } from './steps/switch.ts';
import { cancel, fail } from './steps/undo.ts';
import { openDeploymentSession, type DeploymentSession } from './deployment-session.ts';

type PhaseState = Exclude<DeployState, 'queued' | 'succeeded' | 'failed' | 'rolled_back' | 'cancelled'>;

/** What each state does to get to the next. Every one may be done again from its beginning. */
const PHASES: Readonly<
  Record<PhaseState, (session: DeploymentSession, signal: AbortSignal, stop: (reason: Error) => void) => Promise<void>>
> = {
  preparing: prepare,
  building: build,
  starting: start,
  health_checking: checkHealth,
  switching: switchOver,
  verifying: verify,
  draining: drain,
  failing: fail,
  cancelling: cancel,
  unknown: recover,
};

const CANCELLABLE: ReadonlySet<DeployState> = new Set(['preparing', 'building', 'starting', 'health_checking']);
/** What would come of an address or a server that was changed meanwhile is not what was decided about. */
const READS_PLACE: ReadonlySet<DeployState> = new Set(['preparing', 'building', 'starting']);
/** The outcome of the step is unknown: the target or the proxy has to say. */
const UNANSWERED: ReadonlySet<ErrorCode> = new Set(['TARGET_UNREACHABLE', 'TARGET_LOST', 'UPSTREAM_UNAVAILABLE']);
const FAILURE_LINES = 40;
/** What keeps the log of a program may still be starting when the program has ended; a program that says nothing costs this time. */
const LOG_MS = 3 * SECOND_MS;
const LOG_LOOK_MS = 100;
const RETRY_BASE_MS = SECOND_MS;
const RETRY_MAX_MS = 20 * SECOND_MS;

/**
 * Takes a deployment to its end, from wherever it is: claims it, goes from state to state, and answers what is true then. One that
 * an earlier worker left goes on from what the target and the proxy say. Calling it for one that has ended only answers. When a
 * server does not answer for too long the result is `unknown`, and it has to be called again. Throws when the process stops,
 * the run is lost, or the database is away; then it can be called again too.
 */
export async function runDeployment(
  parts: DeployParts,
  deploymentId: string,
  context: JobContext,
): Promise<DeployResult> {
  const limitMs = parts.limits.preparingMs;
  const evidence = { run: context.runId, attempt: context.attempt };
  const claimed = await parts.work.claim(deploymentId, { actor: 'system', evidence, limitMs });
  if (claimed === null) {
    // The job that brought it to its end may have died before its message said so.
    const ended = await parts.work.find(deploymentId);
    if (ended?.startedAt) await endProgress(ended, context);
    return describeEnd(parts, deploymentId);
  }
  const session = await openDeploymentSession(parts, { deploymentId, epoch: claimed.epoch }, context);
  const progress = startProgress(session);
  try {
    await runPhases(session);
    await progress.close();
    await endProgress(session.held.row(), context);
  } finally {
    await progress.close();
    await session.close();
  }
  return describeEnd(parts, deploymentId);
}

async function runPhases(session: DeploymentSession): Promise<void> {
  const { held, parts } = session;
  let silentSince: number | null = null;
  for (let failures = 0; !isFinal(held.state());) {
    const state = held.state();
    try {
      await runPhase(session);
      failures = 0;
      if (state === 'unknown') silentSince = null;
    } catch (error) {
      const isAnswered = await settle(session, error);
      if (isAnswered) continue;
      silentSince ??= performance.now();
      if (performance.now() - silentSince > parts.limits.unknownMs) return;
      failures += 1;
      await pause(backoffMs(failures - 1, RETRY_BASE_MS, RETRY_MAX_MS), session.context.signal);
    }
  }
  await tidyUp(session);
}

async function runPhase(session: DeploymentSession): Promise<void> {
  const { held, parts } = session;
  const row = await held.refresh();
  const state = held.state() as PhaseState; // neither queued nor final: it was claimed, and runPhases looks
  const isCancellable = CANCELLABLE.has(state);
  const leftMs = isCancellable ? parts.limits.wholeMs - row.ageMs : Number.POSITIVE_INFINITY;
  const limitMs = Math.max(1, Math.min(limitOf(parts.limits, state, row), leftMs));
  await held.within({ limitMs, isCancellable }, (signal, stop) => {
    if (READS_PLACE.has(state)) requireSamePlace(row);
    return PHASES[state](session, signal, stop);
  });
}

/** What comes of a step that did not end well. False when it has to be tried again, because a server does not answer. */
async function settle(session: DeploymentSession, error: unknown): Promise<boolean> {
  const { held, context } = session;
  // The process stops, or another has the deployment: the next job finds out where it is.
  context.signal.throwIfAborted();
  const row = await held.refresh();
  if (error instanceof CancelRequested) {
    await held.advance('cancelling', { from: row.state }, { actor: error.by });
    return true;
  }
  if (!(error instanceof AppError) && isTransient(error)) throw error;
  const failure = toAppError(error, row.deploymentId);
  if (failure.code === 'INTERNAL') context.log.error('a step of a deployment broke', { state: row.state, error });
  const isUndoing = row.state === 'draining' || row.state === 'failing' || row.state === 'cancelling';
  if (UNANSWERED.has(failure.code) || isUndoing) {
    if (row.state !== 'unknown') await held.advance('unknown', { because: explain(failure) });
    return false;
  }
  // A job that does not understand what it sees may not end anything: it looks again.
  if (row.state === 'unknown' && failure.code === 'INTERNAL') return false;
  await held.advance(
    'failing',
    { because: failure.code },
    { change: { failure: await describeFailure(session, row, failure) } },
  );
  return true;
}

async function describeFailure(session: DeploymentSession, row: WorkRow, failure: AppError): Promise<DeployFailure> {
  const state = row.state === 'unknown' ? await session.parts.work.lastKnown(row.deploymentId) : row.state;
  const { code } = failure;
  const sentence = session.opened.mask(explain(failure)).slice(0, 1_000);
  return { state, code, sentence, lines: [...(await lastLines(session, row, code === 'INSTANCE_ENDED'))] };
}

/** The last lines of the program, if it was started, or else of its build. */
async function lastLines(session: DeploymentSession, row: WorkRow, hasEnded: boolean): Promise<readonly string[]> {
  const deadline = performance.now() + (hasEnded ? LOG_MS : 0);
  try {
    while (row.instance !== null) {
      const lines = await readLog(session, row.instance);
      if (lines.length > 0) return lines;
      // A program that has ended may have its log written late.
      if (performance.now() >= deadline) break;
      await sleep(LOG_LOOK_MS, session.context.signal);
    }
  } catch (error) {
    session.context.log.warn('the last lines of an instance could not be read', { error });
  }
  await session.lines.flush();
  const stored = await session.parts.deployments.lines(row.deploymentId, FAILURE_LINES);
  return stored.map(({ line }) => line);
}

async function readLog(
  session: DeploymentSession,
  instance: NonNullable<WorkRow['instance']>,
): Promise<readonly string[]> {
  await session.protectLines();
  const query = {
    tail: FAILURE_LINES,
    since: new Date(instance.startedAt),
    signal: abortAfter(5 * SECOND_MS),
  };
  return readCleanLines(await session.driver(), instance, query, (text) => session.opened.mask(text));
}

/** Removes artifacts that no deployment needs. What cannot be removed now is tried again the next time. */
async function tidyUp(session: DeploymentSession): Promise<void> {
  const { parts, held, context } = session;
  const row = held.row();
  try {
    const driver = await session.driver();
    for (const { server, artifact, deploymentIds } of await parts.work.stale(row, KEPT_ARTIFACTS)) {
      if (server !== row.server) continue;
      await driver.discard(artifact, AbortSignal.any([context.signal, abortAfter(parts.limits.undoingMs)]));
      await parts.work.forget(deploymentIds);
    }
  } catch (error) {
    context.log.warn('old artifacts were not removed; the next deployment tries again', { error });
  }
}

/** What is true of a deployment and its service now. Throws NOT_FOUND. */
async function describeEnd(parts: DeployParts, deploymentId: string): Promise<DeployResult> {
  const row = await parts.work.find(deploymentId);
  if (row === null) throw new AppError('NOT_FOUND', { kind: 'deployment', name: deploymentId, known: 'others' });
  const service = await parts.services.find(row);
  // What a rollback would start again: the same release once more is no way back.
  const replaced = row.replaces === null ? null : await parts.deployments.before(row);
  const begun = row.startedAt ?? row.requestedAt;
  return {
    ...row,
    serving: service?.release ?? null,
    replaced: replaced?.release ?? null,
    seconds: Math.max(0, row.finishedAt === null ? row.ageMs : row.finishedAt.getTime() - begun.getTime()) / SECOND_MS,
  };
}
