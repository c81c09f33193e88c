import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { ServiceHealthResult } from '@signalbox/contracts/operations/operations';
import { countErrors } from '@signalbox/store/deploy/error-groups';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import type { ServiceRow } from '@signalbox/store/deploy/services';
import { AppError } from '@signalbox/contracts/errors';
import { findCrashStop } from './crash-stops.ts';
import { CRASH_LOOP_LIMITS, NO_CRASHES, addRestarts } from './crash-loop.ts';
import { HOUR_MS, MINUTE_MS } from '@signalbox/contracts/time';
import { createMissingProbe, probeHealth, type HealthProbe } from '../deploy/steps/probe-health.ts';
import type { Driver } from '../drivers/driver.ts';
import { findReleaseBefore, getUsualLatency, type EarlierRelease, type HealthState } from './latencies.ts';
import { startLagMeter } from '../machine/lag.ts';
import { say } from '@signalbox/messages/say';
import { readRouteProblem, type DiagnoseDeps } from './target.ts';
import type { HealthMeasurements } from './verdict.ts';

/** Errors of this recent period are compared with errors of the last hour. */
const LATELY_MS = 5 * MINUTE_MS;

/** Probes a service through the proxy and at its instance, and reads the state of its program and server. Changes nothing. */
export async function probeService(
  parts: Pick<DiagnoseDeps, 'pool' | 'reachHost' | 'traffic' | 'loop' | 'deployments'>,
  { driver, signal }: { readonly driver: Driver; readonly signal: AbortSignal },
  { service, serving }: { readonly service: ServiceRow; readonly serving: FullDeploymentRow },
  memory: HealthState,
): Promise<HealthMeasurements> {
  const { file, instance } = serving;
  const endLag = startLagMeter();
  const [before, proxy, direct, program, diskFreeMb] = await Promise.all([
    findReleaseBefore(parts.deployments, service, memory.samples),
    file === null || service.port === null
      ? null
      : probeThroughProxy(parts, service, { file, port: service.port }, signal),
    file === null || instance === null ? null : probeHealth(instance, file, signal),
    instance === null ? null : programOf(driver, serving, signal),
    driver.inspect(signal).then(
      (inventory) => inventory.diskFreeMb,
      (error: unknown) => ifUnreachable(error, null),
    ),
  ]);
  const lagMs = endLag();
  const now = Date.now();
  const [errorsLately, errorsLastHour] = await Promise.all([
    countErrors(parts.pool, service, LATELY_MS),
    countErrors(parts.pool, service, HOUR_MS),
  ]);
  // While the service is unhealthy, the usual error rate keeps its earlier value.
  const perLately = ((errorsLastHour - errorsLately) * LATELY_MS) / (HOUR_MS - LATELY_MS);
  const isUnwell = memory.verdict === 'degraded' || memory.verdict === 'down';
  const isSame = memory.instance === (instance?.ref ?? null);
  const process = program?.process ?? null;
  const restarts = process?.restarts ?? null;
  const isGivenUp = program?.isGivenUp ?? false;
  const { memory: crashes, loop } =
    instance === null || restarts === null
      ? { memory: memory.crashes, loop: null }
      : addRestarts(memory.crashes, { instance, restarts, isGivenUp, at: now }, parts.loop ?? CRASH_LOOP_LIMITS);
  return {
    release: serving.release,
    reportedRelease: proxy?.release == null ? null : plainRelease(proxy.release),
    proxy: proxy && resultOf(proxy),
    instance: direct && resultOf(direct),
    process,
    diskFreeMb,
    usualLatencyMs: getUsualLatency(memory.samples, serving.release, before?.latencyMs ?? null),
    lacks: findLack(before, proxy !== null),
    errorsLastHour,
    errorsLately,
    errorsUsually: isUnwell ? Math.min(perLately, memory.errorsUsually) : perLately,
    newRestarts: isSame && restarts !== null && memory.restarts !== null ? Math.max(0, restarts - memory.restarts) : 0,
    crashLoop: (await findCrashStop(parts.pool, serving.deploymentId)) ?? loop,
    crashes,
    lagMs,
    timedOutMs: proxy?.isTimedOut ? proxy.ms : null,
    sayProblem: proxy?.sayProblem ?? null,
  };
}

export function createEmptyMeasurements(errorsLastHour: number): HealthMeasurements {
  return {
    release: null,
    reportedRelease: null,
    proxy: null,
    instance: null,
    process: null,
    diskFreeMb: null,
    usualLatencyMs: null,
    lacks: null,
    errorsLastHour,
    errorsLately: 0,
    errorsUsually: 0,
    newRestarts: 0,
    crashLoop: null,
    crashes: NO_CRASHES,
    lagMs: 0,
    timedOutMs: null,
    sayProblem: null,
  };
}

/** Says what a check cannot judge: the program alone, or an answer that nothing can be compared with. */
function findLack(before: EarlierRelease | null, isProbed: boolean): string | null {
  if (!isProbed) return say('health.lacksAnswer');
  if (before === null || before.latencyMs !== null) return null;
  return say('health.lacksComparison', { before: before.release ?? say('health.whatServedBefore') });
}

/** Probes the service through the proxy. When the proxy reports a route problem, a response would come from another program. */
async function probeThroughProxy(
  parts: Pick<DiagnoseDeps, 'reachHost' | 'traffic'>,
  service: ServiceKey,
  { file, port }: { readonly file: NonNullable<FullDeploymentRow['file']>; readonly port: number },
  signal: AbortSignal,
): Promise<HealthProbe> {
  const problem = await readRouteProblem(parts, service, signal);
  if (problem !== null) return createMissingProbe(problem.replace(/\.$/, ''));
  return probeHealth({ host: parts.reachHost, port }, file, signal);
}

/** The reported release is untrusted text, and is quoted in messages to people. */
function plainRelease(reported: string): string {
  return /^[\w.+-]{1,80}$/.test(reported) ? reported : 'another release';
}

interface Program {
  readonly process: NonNullable<HealthMeasurements['process']>;
  /** True when the program crashed and its supervisor does not start it again. */
  readonly isGivenUp: boolean;
}

async function programOf(
  driver: Driver,
  { instance }: FullDeploymentRow,
  signal: AbortSignal,
): Promise<Program | null> {
  if (instance === null) return null;
  try {
    const state = await driver.state(instance, signal);
    const none = { running: false, restarts: null, exitCode: null, oom: false, memoryMb: null };
    switch (state.kind) {
      case 'running': {
        const { restarts, memoryMb, lastExit: exitCode = null } = state;
        return { process: { ...none, running: true, restarts, exitCode, memoryMb }, isGivenUp: false };
      }
      case 'exited': {
        const { restarts, code: exitCode, oom, lost } = state;
        return { process: { ...none, restarts, exitCode, oom }, isGivenUp: lost === null && exitCode !== 0 };
      }
      case 'gone':
        return { process: none, isGivenUp: false };
    }
  } catch (error) {
    return ifUnreachable(error, null);
  }
}

function ifUnreachable<T>(error: unknown, otherwise: T): T {
  if (error instanceof AppError) return otherwise;
  throw error;
}

function resultOf({ status, ms, problem }: HealthProbe): NonNullable<ServiceHealthResult['proxy']> {
  return { status, latencyMs: status === null ? null : ms, error: problem };
}
