import { z } from 'zod';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { Environment, ProjectName } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { formatCode } from '@signalbox/messages/format-code';
import { say } from '@signalbox/messages/say';
import { tool, type ToolContext } from '../../tools/tool.ts';
import { SERVICE_SCOPE, getEnvironmentRisk, getServiceLock } from './fields.ts';
import { describeImpact } from './sentences.ts';

/** Most services drain within this time; a longer stop is reported when it has ended. */
const WAIT_MS = 60_000;

/** Stops a service, and reports when it has stopped. */
export const stopService = tool({
  describe:
    'Take a service down in an environment: nothing serves there any more until it is deployed or rolled back again.',
  hints: [
    'take shop down on staging',
    'stop shop in staging',
    'shut down the service shop',
    'shut down blog in staging',
    'take shop offline in production',
    'take down blog in staging',
    'stop serving shop in production',
  ],
  input: z.object({ project: ProjectName, environment: Environment }),
  risk: getEnvironmentRisk,
  role: 'developer',
  egress: false,
  ...SERVICE_SCOPE,
  lock: getServiceLock,
  deadlineMs: WAIT_MS,
  // The job is keyed by the action id, and its target is chosen once.
  replay: 'harmless',
  told: ['project', 'environment'],
  preview: async (service, { ports }) => {
    const serving = await requireStoppable(ports, service, null);
    return {
      what: say('deploy.stop', service),
      change: say('deploy.stopChange', { release: formatCode(serving.release ?? serving.ref) }),
      reach: describeImpact(service, serving.url),
      undo: say('deploy.stopUndo', { ...service, version: serving.ref }),
    };
  },
  run: async (service, context) => {
    await requireStoppable(context.ports, service, context.actionId);
    const worked = await context.work('service.stop', service);
    return worked.kind === 'done'
      ? { state: 'done' as const, ...worked.result }
      : { state: 'goes-on' as const, ...service };
  },
  probe: async (_service, { worked }) => {
    const found = await worked('service.stop');
    return found.kind === 'done' ? { kind: 'done', output: { state: 'done' as const, ...found.output } } : found;
  },
  phrases: {
    order: ({ project, environment }) => say('deploy.stop', { project, environment }),
    done: (stopped) => {
      const { project, environment } = stopped;
      if (stopped.state === 'goes-on') return say('deploy.stopping', { project, environment });
      const { release, ref, cut } = stopped;
      return say('deploy.stopped', { project, environment, ref, cut, release: formatCode(release ?? ref) });
    },
  },
}).from({
  project: 'name',
  environment: 'runtime',
  state: 'runtime',
  deploymentId: 'runtime',
  how: 'runtime',
  server: 'name',
  ref: 'ref',
  release: 'ref',
  cut: 'runtime',
});

/** Finds the deployment to stop. Throws NOT_FOUND (project), DEPLOYMENT_UNDER_WAY, NOTHING_SERVES. */
async function requireStoppable(ports: ToolContext['ports'], service: ServiceKey, actionId: string | null) {
  const { project, environment } = service;
  await ports.projects.get(project);
  const found = await ports.services.stoppable(service, actionId);
  // A stop that this call started continues, even if a deployment started since.
  if (!found?.isBegun) await ports.deployments.requireIdle(service);
  const target = found && (await ports.deployments.find(found.deploymentId));
  if (target) return target;
  throw new AppError('NOTHING_SERVES', { project, environment, act: 'stop' });
}
