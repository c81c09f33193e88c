import { z } from 'zod';
import { CommitSummary, DeployPlan, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { readErrorCause } from '@signalbox/contracts/operations/error-cause';
import type { ResolvedRefs, ResolveContext, ToolContext } from '../../tools/tool.ts';

/** The policy resource of a deployment whose plan the requester has not seen (infra/policy/plans.cedar). */
export const UNSEEN_PLAN = 'plan:unseen';

/** Marks a plan that the requester must see before its first run. */
const Seen = z.object({ isUnseen: z.literal(true).optional() });

/** Resolves a deployment's commit, server and build. Throws NOT_RESOLVED with the obstacle. */
export async function resolveDeployment(
  request: ServiceKey & { readonly ref: string; readonly server: string | null; readonly fromArtifact: string | null },
  { work, before }: ResolveContext,
): Promise<ResolvedRefs> {
  // The server is chosen once, when the call is proposed.
  const server = request.server ?? (before ? DeployPlan.parse(before).server.name : null);
  const { project, environment, ref, fromArtifact } = request;
  const payload = { project, environment, ref, fromArtifact, server, planOnly: true };
  const { plan, isUnseen, head, problem, cause } = await work('deploy.check', payload);
  if (plan) {
    // A request that an older release resolved without `head` keeps its hash.
    const isAsked = head !== null && (before === null || 'head' in before);
    return { ...plan, ...(isUnseen ? { isUnseen } : {}), ...(isAsked ? { head } : {}) };
  }
  throw new AppError('NOT_RESOLVED', { detail: problem ?? 'the job service gave no reason' }, readErrorCause(cause));
}

/** Lists fields of the plan that follow from other fields, so that nobody decides about them. */
export function listDerivedFields(resolved: ResolvedRefs): readonly string[] {
  const digests = ['artifact', 'file', 'dockerfile', 'variables', 'health', 'isUnseen', 'notes'];
  const server = ['driver', 'host', 'hostKey', 'login'].map((member) => `server.${member}`);
  const commit = headOf(resolved) === null ? [] : ['commit'];
  // The person has to see the guessed build and start, so they do not count as derived.
  const plan = getUnseenPlan(resolved) ? [] : ['build', 'start'];
  return [...digests, ...server, ...commit, ...plan].map((name) => `→ ${name}`);
}

export function toCommitValues(resolved: ResolvedRefs | null) {
  const head = headOf(resolved);
  return { hasHead: head !== null, subject: head?.subject ?? '', author: head?.author ?? '' };
}

/** The approved plan. Throws without one, which is a programming error. */
export function getApprovedPlan({ resolved }: Pick<ToolContext, 'resolved'>): DeployPlan {
  return DeployPlan.parse(resolved);
}

/** The guessed build and start of a repository without a signalbox.json; null with such a file, or when this plan served before. */
export function getUnseenPlan(resolved: ResolvedRefs | null): Pick<DeployPlan, 'build' | 'start' | 'notes'> | null {
  return Seen.parse(resolved ?? {}).isUnseen ? DeployPlan.parse(resolved) : null;
}

/** What people have to know of a plan beyond its commands. */
export function getPlanNotes(resolved: ResolvedRefs | null): DeployPlan['notes'] {
  return DeployPlan.pick({ notes: true }).safeParse(resolved ?? {}).data?.notes;
}

function headOf(resolved: ResolvedRefs | null): CommitSummary | null {
  return Head.parse(resolved ?? {}).head ?? null;
}

const Head = z.object({ head: CommitSummary.optional() });

/** Throws NOT_FOUND (project), REPOSITORY_MISSING. */
export async function requireRepository(ports: ToolContext['ports'], project: string): Promise<void> {
  const { repository } = await ports.projects.get(project);
  if (repository === null) throw new AppError('REPOSITORY_MISSING', { project });
}
