import { DeployPlan, isFinalState, type DeployState, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { sayDeployState } from '@signalbox/messages/deploy-state';
import { sayDuration } from '@signalbox/messages/duration';
import { formatCode } from '@signalbox/messages/format-code';
import { say } from '@signalbox/messages/say';
import type { OriginsOf } from '../../tools/origins.ts';
import type { ResolvedRefs, ToolContext } from '../../tools/tool.ts';

type DeploymentRow = Awaited<ReturnType<ToolContext['ports']['deployments']['list']>>[number];

export interface DeploymentSummary {
  readonly deployment: string;
  readonly project: string;
  readonly environment: ServiceKey['environment'];
  readonly kind: 'deploy' | 'rollback';
  readonly version: string;
  readonly release: string | null;
  readonly server: string;
  readonly state: DeployState;
  readonly askedBy: string;
  readonly askedAt: string;
  readonly stateSince: string;
  readonly stateFor: string;
  readonly isServing: boolean;
  readonly isStopping: boolean;
  readonly url: string | null;
  readonly failure: string | null;
}

/** What is known of a deployment when it is requested. */
export const REQUEST_ORIGINS = {
  deployment: 'runtime',
  project: 'name',
  environment: 'runtime',
  version: 'ref',
  server: 'name',
  servesNow: 'ref',
} as const;

/** Who tags a commit chooses the version; a failure may quote the program. */
export const DEPLOYMENT_ORIGINS = {
  deployment: 'runtime',
  project: 'name',
  environment: 'runtime',
  kind: 'runtime',
  version: 'ref',
  release: 'ref',
  server: 'name',
  state: 'runtime',
  askedBy: 'name',
  askedAt: 'runtime',
  stateSince: 'runtime',
  stateFor: 'runtime',
  isServing: 'runtime',
  isStopping: 'runtime',
  url: 'runtime',
  failure: 'outside',
} as const satisfies OriginsOf<DeploymentSummary>;

export function toDeploymentSummary(found: DeploymentRow, now: Date): DeploymentSummary {
  const { deploymentId, project, environment, kind, ref, release, server, state, failure } = found;
  return {
    deployment: deploymentId,
    project,
    environment,
    kind,
    version: ref,
    release,
    server,
    state,
    askedBy: found.userName,
    askedAt: found.requestedAt.toISOString(),
    stateSince: found.stateAt.toISOString(),
    stateFor: sayDuration(Math.max(0, now.getTime() - found.stateAt.getTime())),
    isServing: found.serving,
    isStopping: found.cancelAt !== null,
    url: found.url,
    failure: failure && say('deploy.failedWhile', { state: sayDeployState(failure.state), why: failure.sentence }),
  };
}

export function describeDeployment(facts: DeploymentSummary): string {
  const { kind, project, version, environment, isServing, isStopping, stateFor, askedBy } = facts;
  return say('deploy.deployment', {
    kind,
    project,
    version,
    environment,
    state: sayDeployState(facts.state),
    isOver: isFinalState(facts.state),
    stateFor,
    isServing,
    isStopping: isStopping && !isFinalState(facts.state),
    askedBy,
  });
}

/** Says whom a change of a service affects, for the approval card. */
export function describeImpact(
  { project, environment }: ServiceKey,
  url: string | null,
  resolved: ResolvedRefs | null = null,
): string {
  const plan = DeployPlan.pick({ server: true, repository: true }).safeParse(resolved).data;
  const [server, repository] = [plan?.server.name ?? '', plan?.repository ?? ''];
  const where = { hasServer: server !== '', server, hasCode: repository !== '', repository };
  return say('deploy.reach', { project, environment, hasUrl: url !== null, url: url ?? '', ...where });
}

/** The values with which a sentence says what serves during a deployment. */
export function createServingValues(servesNow: string | null): { readonly serves: boolean; readonly serving: string } {
  return { serves: servesNow !== null, serving: formatCode(servesNow ?? '') };
}
