import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { ServiceHealthResult } from '@signalbox/contracts/operations/operations';
import { countErrors } from '@signalbox/store/deploy/error-groups';
import type { WorkRow } from '@signalbox/store/deploy/deployments-rows';
import type { ServiceRow } from '@signalbox/store/deploy/services';
import { AppError } from '@signalbox/contracts/errors';
import { HOUR_MS, MINUTE_MS } from '@signalbox/contracts/time';
import { probeHealth, type Look } from '../deploy/steps/reach.ts';
import type { Driver } from '../drivers/driver.ts';
import { usualLatency, type HealthMemory } from './latencies.ts';
import { problemOfRoute, type DiagnoseParts } from '../diagnose/target.ts';
import type { Found } from './verdict.ts';

/** The errors of so long are compared with those of the last hour. */
const LATELY_MS = 5 * MINUTE_MS;

/** Probes a service through the proxy and at its instance, and reads the state of its program and its server. Changes nothing. */
export async function probeService(
  parts: Pick<DiagnoseParts, 'pool' | 'reachHost' | 'traffic'>,
  driver: Driver,
  { service, serving }: { readonly service: ServiceRow; readonly serving: WorkRow },
  memory: HealthMemory,
  signal: AbortSignal,
): Promise<Found> {
  const { file, instance } = serving;
  const [proxy, direct, process, diskFreeMb] = await Promise.all([
    file === null || service.port === null ? null : lookThrough(parts, service, { file, port: service.port }, signal),
    file === null || instance === null ? null : probeHealth(instance, file, signal),
    instance === null ? null : programOf(driver, serving, signal),
    driver.inspect(signal).then(
      (inventory) => inventory.diskFreeMb,
      (error: unknown) => ifUnreachable(error, null),
    ),
  ]);
  const now = Date.now();
  const [errorsLately, errorsLastHour] = await Promise.all([
    countErrors(parts.pool, service, new Date(now - LATELY_MS)),
    countErrors(parts.pool, service, new Date(now - HOUR_MS)),
  ]);
  const isSame = memory.instance === (instance?.ref ?? null);
  const restarts = process?.restarts ?? null;
  return {
    release: serving.release,
    reportedRelease: proxy?.release == null ? null : plainRelease(proxy.release),
    proxy: proxy && resultOf(proxy),
    instance: direct && resultOf(direct),
    process,
    diskFreeMb,
    usualLatencyMs: usualLatency(memory.samples, serving.release),
    errorsLastHour,
    errorsLately,
    errorsUsually: ((errorsLastHour - errorsLately) * LATELY_MS) / (HOUR_MS - LATELY_MS),
    newRestarts: isSame && restarts !== null && memory.restarts !== null ? Math.max(0, restarts - memory.restarts) : 0,
  };
}

/** Of a service where nothing serves. */
export function nothingFound(memory: HealthMemory, errorsLastHour: number): Found {
  return {
    release: null,
    reportedRelease: null,
    proxy: null,
    instance: null,
    process: null,
    diskFreeMb: null,
    usualLatencyMs: usualLatency(memory.samples, null),
    errorsLastHour,
    errorsLately: 0,
    errorsUsually: 0,
    newRestarts: 0,
  };
}

/** What was found, without what only a verdict needs. */
export function toHealth(
  { project, environment }: ServiceKey,
  { errorsLately: _lately, errorsUsually: _usually, newRestarts: _new, ...found }: Found,
  { verdict, because }: Pick<ServiceHealthResult, 'verdict' | 'because'>,
): ServiceHealthResult {
  return { project, environment, verdict, because, ...found };
}

/** What answers at a port that the proxy could not get is not the service, however well it answers. */
async function lookThrough(
  parts: Pick<DiagnoseParts, 'reachHost' | 'traffic'>,
  service: ServiceKey,
  { file, port }: { readonly file: NonNullable<WorkRow['file']>; readonly port: number },
  signal: AbortSignal,
): Promise<Look> {
  const problem = await problemOfRoute(parts, service, signal);
  if (problem !== null) return { status: null, ms: 0, release: null, problem: problem.replace(/\.$/, '') };
  return probeHealth({ host: parts.reachHost, port }, file, signal);
}

/** It comes from outside and stands in sentences of ours. */
function plainRelease(reported: string): string {
  return /^[\w.+-]{1,80}$/.test(reported) ? reported : 'another release';
}

async function programOf(driver: Driver, { instance }: WorkRow, signal: AbortSignal): Promise<Found['process']> {
  if (instance === null) return null;
  try {
    const state = await driver.state(instance, signal);
    switch (state.kind) {
      case 'running':
        return {
          running: true,
          restarts: state.restarts,
          exitCode: state.lastExit ?? null,
          oom: false,
          memoryMb: state.memoryMb,
        };
      case 'exited':
        return { running: false, restarts: null, exitCode: state.code, oom: state.oom, memoryMb: null };
      case 'gone':
        return { running: false, restarts: null, exitCode: null, oom: false, memoryMb: null };
    }
  } catch (error) {
    return ifUnreachable(error, null);
  }
}

/** A server that does not answer leaves that part of the look open; anything else is a mistake of ours. */
function ifUnreachable<T>(error: unknown, otherwise: T): T {
  if (error instanceof AppError) return otherwise;
  throw error;
}

function resultOf({ status, ms, problem }: Look): NonNullable<ServiceHealthResult['proxy']> {
  return { status, latencyMs: status === null ? null : ms, error: problem };
}
