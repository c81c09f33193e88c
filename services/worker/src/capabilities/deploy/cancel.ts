import { z } from 'zod';
import { isFinalState } from '@signalbox/contracts/operations/deploy';
import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { sleep } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import { CHANGE_DEFAULTS, tool, type ToolContext } from '../../tools/tool.ts';
import { AnyEnvironment } from './fields.ts';
import { DEPLOYMENT_ORIGINS, describeDeployment, toDeploymentSummary } from './sentences.ts';

type Ports = ToolContext['ports'];
type Deployment = Awaited<ReturnType<Ports['deployments']['list']>>[number];

/** Programs of a canceled build end within seconds. After this time the tool answers that they are still ending. */
const WAIT_MS = 15_000;
const LOOK_EVERY_MS = 200;
/** Within this time after a cancellation, a repeated request to cancel is answered with that cancellation. */
const RECENT_MS = 2 * 60_000;

export const cancelDeploy = tool({
  describe:
    'Cancel the deploy of a project that is running now. What serves stays. After the switch only a rollback helps.',
  hints: [
    'cancel the deploy of shop',
    'cancel the deploy',
    'stop the deploy',
    'abort the deployment of blog in staging',
    'kill the running deploy',
    'stop the build of shop',
    'call off the deploy to production',
  ],
  input: z.object({ project: ProjectName, environment: AnyEnvironment }),
  ...CHANGE_DEFAULTS,
  environment: ({ environment }) => environment ?? 'none',
  resources: ({ project, environment }) => [
    `project:${project}`,
    ...(environment ? [`environment:${environment}`] : []),
  ],
  deadlineMs: WAIT_MS + 5_000,
  replay: 'harmless',
  run: async ({ project, environment }, { ports, actor, actionId, signal, now }) => {
    await ports.projects.get(project);
    const filter = { project, ...(environment ? { environment } : {}) };
    const open = await ports.deployments.list({ ...filter, open: true }, 5);
    if (open.length > 1) {
      const deployments = open
        .map(({ ref, environment: where }) => say('deploy.refTo', { ref, environment: where }))
        .join(', ');
      throw new AppError('SEVERAL_UNDER_WAY', { project, deployments });
    }
    const target = open[0] ?? (await justCancelled(ports, filter, now()));
    if (!target) throw await nothingToCancel(ports, filter, project);
    const { accepted, state } = await ports.deployments.cancel(target.deploymentId, actor.userKey, actionId);
    if (!accepted) throw tooLate(target, state);
    const ended = await waitForEnd(ports, target, actionId, signal);
    const service = await ports.services.find(target);
    return { ...toDeploymentSummary(ended, now()), servesNow: service?.release ?? null };
  },
  probe: async ({ project, environment }, { ports, wrote, now }) => {
    if (!(await wrote())) return { kind: 'not-done' };
    const filter = { project, ...(environment ? { environment } : {}) };
    const target = (await ports.deployments.list(filter, LOOKED_AT)).find(({ cancelAt }) => cancelAt !== null);
    if (!target) return { kind: 'unknown' };
    const service = await ports.services.find(target);
    return { kind: 'done', output: { ...toDeploymentSummary(target, now()), servesNow: service?.release ?? null } };
  },
  phrases: {
    order: ({ project, environment: where = 'any' }) => say('deploy.cancelOrder', { project, where }),
    done: (facts) => {
      const { project, version, environment, servesNow } = facts;
      if (facts.state === 'cancelled') {
        const serving = { serves: servesNow !== null, release: servesNow ?? '' };
        return say('deploy.cancelled', { project, version, environment, ...serving });
      }
      // Tells a run that ended by itself from one that needs more time to stop.
      const deployment = describeDeployment(facts);
      return say(isFinalState(facts.state) ? 'deploy.endedBefore' : 'deploy.stillStopping', { deployment });
    },
  },
}).from({ ...DEPLOYMENT_ORIGINS, servesNow: 'ref' });

const LOOKED_AT = 20;

/** Waits for the run's end. While the tool waits, the tool reports the end; afterwards a message does. */
async function waitForEnd(
  ports: Ports,
  { deploymentId }: Deployment,
  actionId: string,
  signal: AbortSignal,
): Promise<Deployment> {
  const lastLookAt = performance.now() + WAIT_MS;
  for (;;) {
    const found = await ports.deployments.find(deploymentId);
    if (!found) throw new AppError('DEPLOYMENT_GONE', {});
    if (isFinalState(found.state)) return found;
    const isOver = signal.aborted || performance.now() >= lastLookAt;
    if (isOver && (await ports.deployments.leaveCancel(deploymentId, actionId))) return found;
    if (!isOver) await sleep(LOOK_EVERY_MS, signal);
  }
}

async function justCancelled(ports: Ports, filter: Filter, now: Date): Promise<Deployment | null> {
  const [newest] = await ports.deployments.list(filter, 1);
  const isRecent = newest?.cancelAt && now.getTime() - newest.cancelAt.getTime() < RECENT_MS;
  return newest && isRecent && newest.state === 'cancelled' ? newest : null;
}

type Filter = Parameters<Ports['deployments']['list']>[0];

async function nothingToCancel(ports: Ports, filter: Filter, project: string): Promise<AppError> {
  const [newest] = await ports.deployments.list(filter, 1);
  const sentences = [
    say('deploy.noneUnderWay', { project, where: filter.environment ?? 'any' }),
    ...(newest
      ? [say('deploy.lastOne', { deployment: describeDeployment(toDeploymentSummary(newest, new Date())) })]
      : []),
    ...(newest?.serving ? [say('deploy.toTakeBack', { project, environment: newest.environment })] : []),
  ];
  return new AppError('NOTHING_TO_CANCEL', { detail: sentences.join(' ') });
}

function tooLate({ project, environment, ref }: Deployment, state: string): AppError {
  return new AppError('CANCEL_TOO_LATE', { detail: say('deploy.tooLate', { project, ref, environment, state }) });
}
