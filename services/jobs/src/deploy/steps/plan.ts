import type { CommitSummary, DeployPlan, ServiceFile, ServiceKey } from '@signalbox/contracts/operations/deploy';
import { getDriverTraits } from '@signalbox/contracts/operations/drivers';
import { say } from '@signalbox/messages/say';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { ServerAccess } from '@signalbox/store/deploy/deployments-placement';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { AppError } from '@signalbox/contracts/errors';
import { redactValue } from '@signalbox/safety/redact/redact';
import { listChanges } from '@signalbox/safety/cards/resolved';
import type { DeployDeps } from '../deploy-deps.ts';
import { needsPython } from '../../git/recognition.ts';
import type { Repository } from '../../git/repository-login.ts';
import type { SourceCommit } from '../../git/sources.ts';

export interface PlanSource {
  readonly repository: string | null;
  readonly ref: string;
  readonly target: ServerAccess;
  readonly commit: string;
  readonly file: ServiceFile;
  readonly dockerfile: string | null;
  readonly artifact: string | null;
  readonly variables: DeployPlan['variables'];
}

/** Builds the plan of a deployment. It contains no secrets, so redaction does not change the stored plan. Pure. */
export function buildDeployPlan({ target, file, ...planned }: PlanSource): DeployPlan {
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
  });
}

/**
 * Resolves what a deployment would run now: repository, commit, server, build and variables. Reads only the repository and the database.
 * `isUnseen`: see ReadinessResult. Throws like `placeService`, and REPOSITORY_MISSING, REPOSITORY_REFUSED, REPOSITORY_UNREADABLE,
 * SERVICE_FILE_INVALID, CHECK_FAILED (its commands cannot run on that server).
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
  const { commit, file, isGuess, dockerfile, head } = source;
  const problem = findImageProblem(source, target);
  if (problem !== null) throw new AppError('CHECK_FAILED', { detail: problem });
  const plan = buildDeployPlan({ ...known, commit, file, dockerfile });
  return { plan, head, isUnseen: isGuess && !(await parts.work.hasServed(project, plan)) };
}

/** Explains why recognized commands cannot run on the base image; null when they can. Skips commands that people wrote. */
export function findImageProblem(
  { file, isRecognized, hasDockerfile }: Pick<SourceCommit, 'file' | 'isRecognized' | 'hasDockerfile'>,
  { server, driver }: Pick<ServerAccess, 'server' | 'driver'>,
): string | null {
  const isOnBase = getDriverTraits(driver).runsImages && isRecognized && !hasDockerfile;
  return isOnBase && needsPython(file) ? say('repository.noPython', { server }) : null;
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
