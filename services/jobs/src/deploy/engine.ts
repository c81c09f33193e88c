import { explainError } from '@signalbox/messages/say';
import { isFinalState, type DeployFailure, type DeployState } from '@signalbox/contracts/operations/deploy';
import type { DeployResult } from '@signalbox/contracts/operations/operations';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { isTransient } from '@signalbox/store/pool';
import { AppError, toAppError, type ErrorCode } from '@signalbox/contracts/errors';
import { SECOND_MS, abortAfter, computeBackoffMs, sleepOrThrow, sleep } from '@signalbox/contracts/time';
import type { Closable } from '@signalbox/platform/lifecycle';
import { startLoop } from '@signalbox/platform/loop';
import type { JobContext } from '../runner/handlers.ts';
import { CancelRequested, getStateTimeout } from './leased-deployment.ts';
import { readCleanLines } from './line-store.ts';
import { MAX_KEPT_ARTIFACTS, type DeployDeps } from './deploy-deps.ts';
import { requireSameTarget } from './steps/plan.ts';
import { buildArtifact, prepareDeployment } from './steps/prepare.ts';
import { recoverDeployment } from './steps/recover.ts';
import { checkHealth, startRelease } from './steps/start.ts';
import { drainInstances, switchTraffic, verifyRelease } from './steps/switch.ts';
import { cancelDeployment, failDeployment } from './steps/undo.ts';
import { openDeploymentSession, type DeploymentSession } from './deployment-session.ts';
import { describeDeployEnd, describeProgress } from './describe-deployment.ts';

/** Minimum interval between edits of the progress message. TICK_MS: interval while the state stays the same. */
const EDIT_MS = SECOND_MS;
const TICK_MS = 5 * SECOND_MS;
const POLL_MS = 200;

type PhaseState = Exclude<DeployState, 'queued' | 'succeeded' | 'failed' | 'rolled_back' | 'cancelled'>;

/** Functions that do the work of each state. Each of them can be repeated from its beginning. */
const PHASES: Readonly<
  Record<PhaseState, (session: DeploymentSession, signal: AbortSignal, stop: (reason: Error) => void) => Promise<void>>
> = {
  preparing: prepareDeployment,
  building: buildArtifact,
  starting: startRelease,
  health_checking: checkHealth,
  switching: switchTraffic,
  verifying: verifyRelease,
  draining: drainInstances,
  failing: failDeployment,
  cancelling: cancelDeployment,
  unknown: recoverDeployment,
};

const CANCELLABLE: ReadonlySet<DeployState> = new Set(['preparing', 'building', 'starting', 'health_checking']);
/** States in which the repository and the server must still be those of the approved plan. */
const PLACE_BOUND_STATES: ReadonlySet<DeployState> = new Set(['preparing', 'building', 'starting']);
/** Error codes after which the outcome of a step is unknown, so that the server or the proxy has to be asked. */
const SILENT_SERVER_CODES: ReadonlySet<ErrorCode> = new Set([
  'TARGET_UNREACHABLE',
  'TARGET_LOST',
  'UPSTREAM_UNAVAILABLE',
]);
const FAILURE_LINES = 40;
/** Time to wait for the log of a program that has ended. A program without output always costs this time. */
const LOG_MS = 3 * SECOND_MS;
const LOG_POLL_MS = 100;
const RETRY_BASE_MS = SECOND_MS;
const RETRY_MAX_MS = 20 * SECOND_MS;

/**
 * Claims a deployment and runs its steps until it ends. Continues an interrupted deployment from what the server and the proxy report;
 * only describes a deployment that has ended. The result is `unknown` when a server stays silent too long. Throws when the process stops,
 * the lease is lost or the database is unavailable; it can then be called again.
 */
export async function runDeployment(
  parts: DeployDeps,
  deploymentId: string,
  context: JobContext,
): Promise<DeployResult> {
  const limitMs = parts.limits.preparingMs;
  const evidence = { run: context.runId, attempt: context.attempt };
  const claimed = await parts.work.claim(deploymentId, { actor: 'system', evidence, limitMs });
  if (claimed === null) {
    // An earlier worker may have died after the end of the deployment and before the final message.
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
  for (let failures = 0; !isFinalState(held.state());) {
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
      await sleepOrThrow(computeBackoffMs(failures - 1, RETRY_BASE_MS, RETRY_MAX_MS), session.context.signal);
    }
  }
  await tidyUp(session);
}

async function runPhase(session: DeploymentSession): Promise<void> {
  const { held, parts } = session;
  const row = await held.refresh();
  const state = held.state() as PhaseState; // The deployment was claimed, and runPhases stops at a final state
  const isCancellable = CANCELLABLE.has(state);
  const leftMs = isCancellable ? parts.limits.wholeMs - row.ageMs : Number.POSITIVE_INFINITY;
  const limitMs = Math.max(1, Math.min(getStateTimeout(parts.limits, state, row), leftMs));
  await held.within({ limitMs, isCancellable }, (signal, stop) => {
    if (PLACE_BOUND_STATES.has(state)) requireSameTarget(row);
    return PHASES[state](session, signal, stop);
  });
}

/** Handles the error of a step. False when the step must be repeated because a server does not answer. */
async function settle(session: DeploymentSession, error: unknown): Promise<boolean> {
  const { held, context } = session;
  // This process is stopping or has lost the deployment; the next worker recovers it.
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
  if (SILENT_SERVER_CODES.has(failure.code) || isUndoing) {
    if (row.state !== 'unknown') await held.advance('unknown', { because: explainError(failure) });
    return false;
  }
  // An internal error during recovery must not stop the service, so recovery is repeated.
  if (row.state === 'unknown' && failure.code === 'INTERNAL') return false;
  await held.advance(
    'failing',
    { because: failure.code },
    { change: { failure: await describeFailure(session, row, failure) } },
  );
  return true;
}

async function describeFailure(
  session: DeploymentSession,
  row: FullDeploymentRow,
  failure: AppError,
): Promise<DeployFailure> {
  const state = row.state === 'unknown' ? await session.parts.work.findLastKnownState(row.deploymentId) : row.state;
  const { code } = failure;
  const sentence = session.opened.mask(explainError(failure)).slice(0, 1_000);
  return { state, code, sentence, lines: [...(await lastLines(session, row, code === 'INSTANCE_ENDED'))] };
}

async function lastLines(
  session: DeploymentSession,
  row: FullDeploymentRow,
  hasEnded: boolean,
): Promise<readonly string[]> {
  const deadline = performance.now() + (hasEnded ? LOG_MS : 0);
  try {
    while (row.instance !== null) {
      const lines = await readLog(session, row.instance);
      if (lines.length > 0) return lines;
      // The log of an ended program may be written late.
      if (performance.now() >= deadline) break;
      await sleep(LOG_POLL_MS, session.context.signal);
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
  instance: NonNullable<FullDeploymentRow['instance']>,
): Promise<readonly string[]> {
  await session.protectLines();
  const query = { tail: FAILURE_LINES, since: new Date(instance.startedAt), signal: abortAfter(5 * SECOND_MS) };
  return readCleanLines(await session.driver(), instance, query, (text) => session.opened.mask(text));
}

/** Removes artifacts that no deployment needs. The next deployment retries failures. */
async function tidyUp(session: DeploymentSession): Promise<void> {
  const { parts, held, context } = session;
  const row = held.row();
  try {
    const driver = await session.driver();
    for (const { server, artifact, deploymentIds } of await parts.work.listStaleArtifacts(row, MAX_KEPT_ARTIFACTS)) {
      if (server !== row.server) continue;
      await driver.discard(artifact, AbortSignal.any([context.signal, abortAfter(parts.limits.undoingMs)]));
      await parts.work.forgetArtifacts(deploymentIds);
    }
  } catch (error) {
    context.log.warn('old artifacts were not removed; the next deployment tries again', { error });
  }
}

async function describeEnd(parts: DeployDeps, deploymentId: string): Promise<DeployResult> {
  const row = await parts.work.find(deploymentId);
  if (row === null) throw new AppError('NOT_FOUND', { kind: 'deployment', name: deploymentId, known: 'others' });
  const service = await parts.services.find(row);
  const replaced = row.replaces === null ? null : await parts.deployments.before(row);
  const startedAt = row.startedAt ?? row.requestedAt;
  return {
    ...row,
    serving: service?.release ?? null,
    replaced: replaced?.release ?? null,
    seconds:
      Math.max(0, row.finishedAt === null ? row.ageMs : row.finishedAt.getTime() - startedAt.getTime()) / SECOND_MS,
  };
}

async function endProgress(row: FullDeploymentRow, context: Pick<JobContext, 'tell' | 'log'>): Promise<void> {
  await context
    .tell(describeDeployEnd(row), { slot: 'deploy', isLast: true })
    .catch((error: unknown) => context.log.warn('end of progress not told', { error }));
}

function startProgress(session: Pick<DeploymentSession, 'held' | 'context'>): Closable {
  const { held, context } = session;
  let said = '';
  let saidAt = Number.NEGATIVE_INFINITY;
  const step = async (): Promise<void> => {
    const row = held.row();
    const sinceMs = performance.now() - saidAt;
    if (sinceMs < TICK_MS && (row.state === said || sinceMs < EDIT_MS)) return;
    said = row.state;
    saidAt = performance.now();
    // A failed message must not fail the deployment.
    await context
      .tell(describeProgress(row, held.ageMs()), { slot: 'deploy' })
      .catch((error: unknown) => context.log.warn('progress not told', { error }));
  };
  return startLoop({ name: 'progress', everyMs: POLL_MS, log: context.log, step });
}
