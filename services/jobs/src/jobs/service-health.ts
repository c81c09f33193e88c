import type { JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import { countErrors } from '@signalbox/store/deploy/error-groups';
import { readHealth } from '@signalbox/store/deploy/service-health';
import { HOUR_MS } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import { HealthMemory } from '../health/latencies.ts';
import { probeService, nothingFound } from '../health/probe-service.ts';
import { findServing, withDriver, type DiagnoseParts } from '../health/target.ts';
import { judge } from '../health/verdict.ts';
import type { JobContext, HandlerOf } from '../runner/handlers.ts';

/** Probes a service once. Changes nothing. */
export function createServiceHealth(parts: DiagnoseParts): HandlerOf<'service.health'> {
  return {
    title: () => say('jobs.lookingAtAService'),
    run: (service, context) => probeOnce(parts, service, context),
    say: ({ project, environment, verdict, because }) => `${project} in ${environment} is ${verdict}. ${because}`,
  };
}

/** Probes a service and judges the result. Throws NOT_FOUND, and the errors of an unreachable server. */
async function probeOnce(
  parts: DiagnoseParts,
  key: JobPayload<'service.health'>,
  context: Pick<JobContext, 'signal' | 'openSecret'>,
): Promise<JobResult<'service.health'>> {
  const { service, serving } = await findServing(parts, key);
  const memory = HealthMemory.parse((await readHealth(parts.pool, key))?.health);
  const found =
    serving === null
      ? nothingFound(memory, await countErrors(parts.pool, key, HOUR_MS))
      : await withDriver(parts, serving, context, (driver) =>
          probeService(parts, { driver, signal: context.signal }, { service, serving }, memory),
        );
  return { ...key, ...found, ...judge(found) };
}
