import type { RunStore } from '@signalbox/store/turns/runs';
import { AppError } from '@signalbox/contracts/errors';
import { newTraceId } from '@signalbox/contracts/ids';
import { SECOND_MS, abortAfter } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import type { DeployDeps } from '../deploy/deploy-deps.ts';
import { pickService } from '../deploy/deployment-session.ts';
import type { JobContext, HandlerOf } from '../runner/handlers.ts';

/** A deployment without progress for this time is abandoned: a working process records progress more often. */
const QUIET_MS = 30 * SECOND_MS;
const POLL_MS = 15 * SECOND_MS;

/** Resumes abandoned deployments once their server and the proxy answer, so that people get no repeated messages. */
export function createDeployReconcileHandler(
  parts: DeployDeps,
  runs: Pick<RunStore, 'create'>,
  quietMs: number = QUIET_MS,
): HandlerOf<'deploys.reconcile'> {
  return {
    title: () => say('jobs.takingUpDeployments'),
    async run(_payload, context) {
      const abandoned = await parts.work.listAbandoned(quietMs);
      let begun = 0;
      for (const one of abandoned) {
        context.signal.throwIfAborted();
        if (one.cancelledBy !== null) {
          // An operator cancelled the run, so the deployment is cancelled if it still can be.
          const action = `${one.deploymentId}:cancel`;
          const { state } = await parts.deployments.cancel(one.deploymentId, one.cancelledBy, action);
          if (state === 'cancelled') continue;
        }
        if (one.state !== 'queued' && !(await answers(parts, one.deploymentId, context))) continue;
        const { deploymentId, project, environment, userKey, chatKey, threadId, traceId } = one;
        // The sweeper enqueues the run. Of two concurrent reconcilers, one finds that it exists.
        const isNew = await runs.create({
          runId: one.runs === 0 ? deploymentId : `${deploymentId}:${one.runs + 1}`,
          job: 'deploy.run',
          payload: { deploymentId, project, environment },
          person: chatKey === null ? null : { userKey, chatKey },
          threadId,
          traceId: traceId ?? newTraceId(),
        });
        if (isNew) begun += 1;
      }
      return { abandoned: abandoned.length, begun };
    },
    say: ({ begun }) => say('jobs.deploymentsTakenUp', { begun }),
    isNotable: ({ begun }) => begun > 0,
  };
}

async function answers(parts: DeployDeps, deploymentId: string, context: JobContext): Promise<boolean> {
  const row = await parts.work.find(deploymentId);
  if (row === null) return false;
  const signal = AbortSignal.any([context.signal, abortAfter(POLL_MS)]);
  try {
    const driver = await parts.openDriver(row, context);
    try {
      await driver.find(pickService(row), signal);
      await parts.traffic.current(`${row.project}/${row.environment}`, signal);
      return true;
    } finally {
      await driver.close();
    }
  } catch (error) {
    context.signal.throwIfAborted();
    context.log.info('deployment left alone: its server or the proxy does not answer', {
      deploymentId,
      because: error instanceof AppError ? error.code : 'INTERNAL',
    });
    return false;
  }
}
