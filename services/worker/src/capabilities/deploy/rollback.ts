import { z } from 'zod';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { Environment, ProjectName } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { formatCode } from '@signalbox/messages/format-code';
import { createCancelButton } from '@signalbox/messages/service-buttons';
import { say } from '@signalbox/messages/say';
import { listMadeValues } from '../../tools/origins.ts';
import { tool, type ToolContext } from '../../tools/tool.ts';
import { SERVICE_SCOPE, getEnvironmentRisk, getServiceLock, Version } from './fields.ts';
import { listDerivedFields, getApprovedPlan, resolveDeployment, toCommitValues } from './plan.ts';
import { REQUEST_ORIGINS, describeImpact, createServingValues } from './sentences.ts';

type Ports = ToolContext['ports'];
type Target = Awaited<ReturnType<Ports['deployments']['list']>>[number];

const LOOKED_AT = 200;

/** Starts an earlier release again, as a new deployment. */
export const rollbackDeploy = tool({
  describe: 'Put an environment of a project back to an earlier version, the one before unless a version is named.',
  hints: [
    'roll back shop in production',
    'roll back the last release of shop',
    'roll blog back to version 1.1.0 in staging',
    'undo the last deploy',
    'rollback shop',
    'go back to the previous version of shop',
    'revert the deploy of blog in staging',
    'put the old release of shop back',
  ],
  input: z.object({
    project: ProjectName,
    environment: Environment,
    to_version: Version.optional()
      .describe('Version to go back to; the one before when left out')
      .meta({ ask: 'Back to which version?' }),
  }),
  risk: getEnvironmentRisk,
  role: 'developer',
  egress: true,
  ...SERVICE_SCOPE,
  lock: getServiceLock,
  deadlineMs: 15_000,
  // A rollback is keyed by its action id, like a deployment.
  replay: 'harmless',
  resolve: async ({ project, environment, to_version: version }, look) => {
    const { ref, deploymentId } = await findTarget(look.ports, { project, environment }, version ?? null);
    return resolveDeployment({ project, environment, ref, server: null, fromArtifact: deploymentId }, look);
  },
  told: ['project', 'environment', 'to_version', '→ ref', '→ head', '→ server', '→ repository'],
  derived: listDerivedFields,
  preview: async ({ project, environment, to_version: version }, { ports, resolved }) => {
    const target = await findTarget(ports, { project, environment }, version ?? null);
    const service = await ports.services.find({ project, environment });
    const from = { serves: service?.release != null, from: formatCode(service?.release ?? '') };
    return {
      what: say('deploy.rollBack', { project, environment, version: target.ref }),
      change: say('deploy.rollBackChange', {
        ...from,
        to: formatCode(target.release ?? target.ref),
        isKept: target.kept,
        ...toCommitValues(resolved),
      }),
      reach: describeImpact({ project, environment }, service?.url ?? null, resolved),
      undo: say('deploy.rollBackUndo', from),
    };
  },
  run: async ({ project, environment, to_version: version }, context) => {
    const { ports, actionId, actor, threadId } = context;
    const service = { project, environment };
    const before = await ports.services.find(service);
    // A repeated call keeps the release that its first run chose.
    const known = await ports.deployments.find(actionId);
    const { ref, server } = known ?? (await request(await findTarget(ports, service, version ?? null)));
    await context.enqueue('deploy.run', { deploymentId: actionId, ...service });
    return { deployment: actionId, ...service, version: ref, server, servesNow: before?.release ?? null };

    function request(target: Target) {
      const plan = getApprovedPlan(context);
      // Another release may have become the previous one since the decision.
      if (plan.artifact !== target.deploymentId)
        throw new AppError('PLAN_CHANGED', { changes: say('deploy.startedAgainNow', { ref: target.ref }) });
      return ports.deployments.request({
        ...service,
        deploymentId: actionId,
        kind: 'rollback',
        ref: target.ref,
        server: null,
        fromArtifact: target.deploymentId,
        plan,
        userKey: actor.userKey,
        threadId,
      });
    }
  },
  probe: async ({ project, environment }, { ports, actionId }) => {
    const found = await ports.deployments.find(actionId);
    if (found === null) return { kind: 'not-done' };
    const serves = await ports.services.find({ project, environment });
    const { ref: version, server } = found;
    const servesNow = found.serving ? null : (serves?.release ?? null);
    return { kind: 'done', output: { deployment: actionId, project, environment, version, server, servesNow } };
  },
  phrases: {
    order: ({ project, environment, to_version: version = 'any' }) =>
      say('deploy.rollBackOrder', { project, environment, version }),
    done: ({ project, environment, version, servesNow }) =>
      say('deploy.onItsWayBack', { project, environment, version, ...createServingValues(servesNow) }),
    next: (service) => [createCancelButton(service)],
  },
}).from(REQUEST_ORIGINS);

/** Throws NOT_FOUND, DEPLOYMENT_UNDER_WAY, ROLLBACK_TARGET_MISSING, VERSION_SERVES. */
async function findTarget(ports: Ports, service: ServiceKey, version: string | null): Promise<Target> {
  const { project, environment } = service;
  await ports.projects.get(project);
  if (version === null) {
    const healthy = await ports.deployments.healthyBefore(service);
    if (healthy) return healthy;
    await ports.deployments.requireIdle(service);
    const before = await ports.deployments.before(service);
    // Whoever wants a release that was not well has to name it.
    if (before) {
      const unwell = say('deploy.noneHealthyBefore', { project, environment, version: before.ref });
      throw new AppError('ROLLBACK_TARGET_MISSING', { detail: unwell });
    }
    const release = (await ports.services.find(service))?.release ?? null;
    const [newest] = await ports.deployments.list(service, 1);
    const isFailed = newest?.state === 'failed' || newest?.state === 'rolled_back';
    const values = { serves: release !== null, release: release ?? '', isFailed, failed: newest?.ref ?? '' };
    const detail = say('deploy.nothingBefore', { project, environment, ...values });
    throw new AppError('ROLLBACK_TARGET_MISSING', { detail });
  }
  const all = await ports.deployments.list(service, LOOKED_AT);
  const served = all.filter(({ state }) => state === 'succeeded');
  const matching = served.filter(({ ref, release }) => ref === version || release === version);
  // After a rollback an earlier deployment of the serving release matches too.
  const current = served.find(({ serving }) => serving)?.release;
  const target = matching.find(({ serving, release }) => !serving && release !== current);
  if (target) return target;
  if (matching.length > 0) throw new AppError('VERSION_SERVES', { version, project, environment });
  const known = [...new Set(served.map(({ ref }) => ref))].slice(0, 10);
  const values = {
    kind: say('deploy.servedVersion', { project, environment }),
    name: version,
    known: known.join(', ') || 'none',
  };
  const offers = listMadeValues(known, 'ref', new Set(), { project });
  throw new AppError('NOT_FOUND', values, undefined, offers);
}
