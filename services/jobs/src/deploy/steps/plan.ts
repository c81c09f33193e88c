import type {
  CommitSummary,
  DeployPlan,
  PlanNote,
  ServiceFile,
  ServiceKey,
} from '@signalbox/contracts/operations/deploy';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { ServerAccess } from '@signalbox/store/deploy/deployments-placement';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { AppError } from '@signalbox/contracts/errors';
import { redactValue } from '@signalbox/safety/redact/redact';
import { listChanges } from '@signalbox/safety/cards/resolved';
import type { DeployDeps } from '../deploy-deps.ts';
import type { Repository } from '../../git/repository-login.ts';

export interface PlanSource {
  readonly repository: string | null;
  readonly ref: string;
  readonly target: ServerAccess;
  readonly commit: string;
  readonly file: ServiceFile;
  readonly dockerfile: string | null;
  readonly notes?: readonly PlanNote[];
  readonly artifact: string | null;
  readonly variables: DeployPlan['variables'];
}

/** Builds the plan of a deployment. It contains no secrets, so redaction does not change the stored plan. Pure. */
export function buildDeployPlan({ target, file, notes = [], ...planned }: PlanSource): DeployPlan {
  const { repository, ref, commit, artifact, dockerfile, variables } = planned;
  return redactValue({
    repository,
    ref,
    commit,
    server: serverOf(target),
    artifact,
    build: file.build,
    start: file.start ?? null,
    health: file.health.path,
    file: hashCanonical(file),
    dockerfile,
    variables,
    // A plan without notes keeps the hash that older releases gave it.
    ...(notes.length > 0 ? { notes } : {}),
  });
}

/**
 * Resolves what a deployment would run now: repository, commit, server, build and variables. Reads only the repository and the database.
 * `isUnseen`: see ReadinessResult. Throws like `placeService`, and REPOSITORY_MISSING, REPOSITORY_REFUSED, REPOSITORY_UNREADABLE,
 * SERVICE_FILE_INVALID, START_UNKNOWN, START_IMPOSSIBLE.
 */
export async function resolvePlan(
  parts: Pick<DeployDeps, 'work' | 'services' | 'sources'>,
  request: ServiceKey & { readonly ref: string; readonly server: string | null; readonly fromArtifact: string | null },
  repository: Repository | null,
  signal: AbortSignal,
): Promise<{ readonly plan: DeployPlan; readonly isUnseen: boolean; readonly head: CommitSummary | null }> {
  const { project } = request;
  const target = await parts.work.findTarget(request, request.server);
  const variables = await parts.services.variableMarks(request);
  const known = {
    repository: repository?.address ?? null,
    ref: request.ref,
    target,
    artifact: request.fromArtifact,
    variables,
  };
  const earlier = request.fromArtifact === null ? null : await parts.work.find(request.fromArtifact);
  if (earlier?.file && earlier.commit !== null) {
    // A rebuild uses the commit of the earlier deployment, so the files of that commit are read.
    const again = earlier.kept ? null : await openSource(parts, { project, repository }, earlier.commit, signal);
    return {
      plan: buildDeployPlan({ ...known, commit: earlier.commit, file: earlier.file, dockerfile: null }),
      isUnseen: false,
      head: again?.head ?? null,
    };
  }
  const source = await openSource(parts, { project, repository }, request.ref, signal);
  const { commit, head } = source;
  const { isGuess, ...way } = source.choose(target);
  const plan = buildDeployPlan({ ...known, ...way, commit, dockerfile: source.dockerfile });
  return { plan, head, isUnseen: isGuess && !(await parts.work.hasServed(project, plan)) };
}

/** Throws PLAN_CHANGED with the differences unless both plans are equal. */
export function requireSamePlan(was: Partial<DeployPlan>, is: Partial<DeployPlan>): void {
  const changes = listChanges(was, is);
  if (changes.length > 0) throw new AppError('PLAN_CHANGED', { changes: changes.join('; ').slice(0, 900) });
}

/** Throws PLAN_CHANGED unless the repository and the server are still the approved ones. */
export function requireSameTarget({ plan, ...row }: FullDeploymentRow): void {
  if (plan === null) return;
  const { repository, server } = plan;
  requireSamePlan({ repository, server }, redactValue({ repository: row.repository, server: serverOf(row) }));
}

function serverOf({ server: name, driver, serverHost: host, hostKey, connection }: ServerAccess): DeployPlan['server'] {
  return { name, driver, host, hostKey, login: hashCanonical(connection) };
}

function openSource(
  parts: Pick<DeployDeps, 'sources'>,
  { project, repository }: { readonly project: string; readonly repository: Repository | null },
  ref: string,
  signal: AbortSignal,
): ReturnType<DeployDeps['sources']['open']> {
  if (repository !== null) return parts.sources.open(repository, ref, signal);
  throw new AppError('REPOSITORY_MISSING', { project });
}
