import { z } from 'zod';
import { Environment, ProjectName } from '@signalbox/contracts/conversation/fields';
import { describePlan, describePlanNote, toTypedPlan } from '@signalbox/messages/deploy-plan';
import { formatCode } from '@signalbox/messages/format-code';
import { createCancelButton } from '@signalbox/messages/service-buttons';
import { say } from '@signalbox/messages/say';
import { optionalServer, tool, type ResolvedRefs } from '../../tools/tool.ts';
import { versionChoices } from '../../tools/version-choices.ts';
import { SERVICE_SCOPE, getEnvironmentRisk, getServiceLock, Version, addReasons } from './fields.ts';
import {
  listDerivedFields,
  getApprovedPlan,
  requireRepository,
  resolveDeployment,
  toCommitValues,
  getPlanNotes,
  getUnseenPlan,
  UNSEEN_PLAN,
} from './plan.ts';
import { REQUEST_ORIGINS, describeImpact, createServingValues } from './sentences.ts';

/** Starts a deployment. The job reports the end; this tool never claims that the release serves. */
export const triggerDeploy = tool({
  describe:
    'Deploy a version of a project to an environment: build it, start it, check its health, then switch traffic to it.',
  hints: [
    'deploy shop 1.4.2 to staging',
    'deploy version 1.2.0 of shop to staging',
    'ship version 1.4.2 of blog to production',
    'deploy blog to production',
    'roll out 2.0 of shop on staging',
    'release shop 1.1 to production',
    'deploy shop',
    'start a deploy',
    'put 1.1 of shop live',
    'get shop 1.4.2 out to production',
  ],
  input: z.object({
    project: ProjectName,
    version: Version,
    environment: Environment,
    server: optionalServer('Left out: the server where it is, else the one with the most room', 'On which server?'),
  }),
  choices: { version: versionChoices },
  risk: (service, resolved) => addReasons(getEnvironmentRisk(service), reasonsOf(resolved)),
  role: 'developer',
  egress: true,
  ...SERVICE_SCOPE,
  resources: (service, resolved) => [
    ...SERVICE_SCOPE.resources(service),
    ...(getUnseenPlan(resolved) ? [UNSEEN_PLAN] : []),
  ],
  lock: getServiceLock,
  deadlineMs: 15_000,
  // The row and the run are both keyed by the action id: a repeated call completes what a crash left out.
  replay: 'harmless',
  resolve: async ({ project, version, environment, server }, look) => {
    await requireRepository(look.ports, project);
    const request = { project, environment, ref: version, server: server ?? null, fromArtifact: null };
    return resolveDeployment(request, look);
  },
  told: ['project', 'version', 'environment', 'server', '→ ref', '→ head', '→ server', '→ repository'],
  derived: listDerivedFields,
  preview: async ({ project, version, environment }, { ports, resolved }) => {
    await requireRepository(ports, project);
    const service = await ports.services.find({ project, environment });
    const from = { serves: service?.release != null, from: formatCode(service?.release ?? '') };
    return {
      what: say('deploy.deploy', { project, version, environment }),
      change: say('deploy.deployChange', { ...from, to: formatCode(version), ...toCommitValues(resolved) }),
      reach: describeImpact({ project, environment }, service?.url ?? null, resolved),
      undo: say('deploy.deployUndo', { project, environment, ...from }),
    };
  },
  run: async ({ project, version, environment, server }, context) => {
    const { ports, actionId, actor, threadId } = context;
    await requireRepository(ports, project);
    const before = await ports.services.find({ project, environment });
    const { server: place, state } = await ports.deployments.request({
      deploymentId: actionId,
      project,
      environment,
      kind: 'deploy',
      ref: version,
      server: server ?? null,
      fromArtifact: null,
      plan: getApprovedPlan(context),
      userKey: actor.userKey,
      threadId,
    });
    await context.enqueue('deploy.run', { deploymentId: actionId, project, environment });
    return {
      deployment: actionId,
      project,
      version,
      environment,
      server: place,
      state,
      servesNow: before?.release ?? null,
      ...describeNotes(context.resolved),
    };
  },
  // The reconciler starts the run of a deployment that has none.
  probe: async ({ project, version, environment }, { ports, actionId }) => {
    const found = await ports.deployments.find(actionId);
    if (found === null) return { kind: 'not-done' };
    const serves = await ports.services.find({ project, environment });
    const { server, state } = found;
    const servesNow = found.serving ? null : (serves?.release ?? null);
    const known = { deployment: actionId, project, version, environment, server, state, servesNow };
    return { kind: 'done', output: { ...known, ...describeNotes(null) } };
  },
  // A person who deploys the project has seen its plan, whatever the environment.
  alters: ({ project }, resources) => (resources.includes(`project:${project}`) ? ['isUnseen'] : []),
  phrases: {
    order: ({ server = 'any', ...asked }) => say('deploy.deployOrder', { ...asked, server }),
    done: ({ project, version, environment, server, servesNow, notes = '' }) => {
      const asked = { project, version, environment, server, ...createServingValues(servesNow) };
      return `${say('deploy.onItsWay', asked)} ${notes}`.trimEnd();
    },
    next: (service) => [createCancelButton(service)],
  },
}).from({ ...REQUEST_ORIGINS, state: 'runtime', notes: 'outside' });

function describeNotes(resolved: ResolvedRefs | null): { readonly notes?: string } {
  const notes = getPlanNotes(resolved) ?? [];
  return notes.length === 0 ? {} : { notes: notes.map(describePlanNote).join(' ') };
}

/** Says what a person has to know before the deployment: how an unseen plan runs, or what a plan leaves out. */
function reasonsOf(resolved: ResolvedRefs | null): readonly string[] {
  const plan = getUnseenPlan(resolved);
  if (plan !== null) return [say('deploy.unseenPlan', { plan: describePlan(toTypedPlan(plan)) })];
  return (getPlanNotes(resolved) ?? []).map(describePlanNote);
}
