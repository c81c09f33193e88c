import { countErrors } from '@signalbox/store/deploy/error-groups';
import { readHealth } from '@signalbox/store/deploy/service-health';
import { HOUR_MS, SECOND_MS } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import { readErrorMessage, groupErrors } from '../logs/error-lines.ts';
import { HealthState, findReleaseBefore } from '../health/latencies.ts';
import { openLogRedactor, readLines } from '../logs/read-lines.ts';
import { probeService, createEmptyMeasurements } from '../health/probe-service.ts';
import { proposeAction } from '../health/proposal.ts';
import { findServingDeployment, withDriver, type DiagnoseDeps } from '../health/target.ts';
import { judgeHealth } from '../health/verdict.ts';
import type { HandlerOf } from '../runner/handlers.ts';

/** Log lines searched for errors, lines shown, and error kinds shown. */
const MAX_READ_LINES = 400;
const MAX_SHOWN_LINES = 12;
const MAX_SHOWN_KINDS = 5;

/** Collects facts about a reported service, and proposes a next action. Changes nothing. */
export function createServiceDiagnoseHandler(parts: DiagnoseDeps): HandlerOf<'service.diagnose'> {
  return {
    title: () => say('jobs.diagnosingAService'),
    run: async (key, context) => {
      const { signal, openSecret, now } = context;
      const { service, serving } = await findServingDeployment(parts, key);
      const memory = HealthState.parse((await readHealth(parts.pool, key))?.health);
      const before = await findReleaseBefore(parts.deployments, key, memory.samples);
      const healthy = await parts.deployments.healthyBefore(key);
      const isPreviousHealthy = before !== null && healthy?.deploymentId === before.deploymentId;
      const isMoving = (await parts.deployments.list({ ...key, open: true }, 1)).length > 0;
      const previous = before && {
        deploymentId: before.deploymentId,
        release: before.release,
        usualLatencyMs: before.latencyMs,
      };
      if (serving === null) {
        const found = createEmptyMeasurements(await countErrors(parts.pool, key, HOUR_MS));
        const verdict = judgeHealth(found);
        const proposal = proposeAction(found, verdict, {
          previous,
          isPreviousHealthy,
          servingForMs: null,
          isMoving,
          errorKinds: 0,
        });
        return {
          ...key,
          health: { ...key, ...found, ...verdict },
          previous,
          servingForSeconds: null,
          errors: [],
          lines: [],
          proposal,
        };
      }
      const mask = await openLogRedactor(parts, key, openSecret);
      return withDriver(parts, serving, context, async (driver) => {
        const [found, lines] = await Promise.all([
          probeService(parts, { driver, signal }, { service, serving }, memory),
          serving.instance === null ? [] : readLines(driver, serving.instance, { tail: MAX_READ_LINES, signal }, mask),
        ]);
        const verdict = judgeHealth(found);
        const groups = groupErrors(lines);
        const telling = lines.filter(({ line }) => readErrorMessage(line) !== null);
        const servingForMs = Math.max(0, now().getTime() - (serving.finishedAt ?? serving.stateAt).getTime());
        return {
          ...key,
          health: { ...key, ...found, ...verdict },
          previous,
          servingForSeconds: Math.round(servingForMs / SECOND_MS),
          errors: groups
            .slice(0, MAX_SHOWN_KINDS)
            .map(({ sample, count }) => ({ sample: sample.slice(0, 300), count })),
          lines: (telling.length > 0 ? telling : lines).slice(-MAX_SHOWN_LINES),
          proposal: proposeAction(found, verdict, {
            previous,
            isPreviousHealthy,
            servingForMs,
            isMoving,
            errorKinds: groups.length,
          }),
        };
      });
    },
    say: ({ project, environment, health, proposal }) =>
      [`${project} in ${environment} is ${health.verdict}. ${health.because}`, proposal.because ?? []].flat().join(' '),
  };
}
