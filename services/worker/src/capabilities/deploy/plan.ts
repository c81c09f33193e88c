import { z } from 'zod';
import { CommitHead, DeployPlan, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import type { Resolved, Resolving, ToolContext } from '../../tools/tool.ts';

/** What policy sees of a call whose plan its person has not seen: see infra/policy/plans.cedar. */
export const UNSEEN_PLAN = 'plan:unseen';

/** Marks a plan that its person has to see before it runs for the first time. */
const Seen = z.object({ isUnseen: z.literal(true).optional() });

/** What a deployment would run: its commit, its server, its build. Throws NOT_RESOLVED with what stands in the way. */
export async function resolveDeployment(
  wish: ServiceKey & { readonly ref: string; readonly server: string | null; readonly fromArtifact: string | null },
  { work, before }: Resolving,
): Promise<Resolved> {
  // Where there is a choice, it was made before anybody was asked.
  const server = wish.server ?? (before ? DeployPlan.parse(before).server.name : null);
  const { project, environment, ref, fromArtifact } = wish;
  const payload = { project, environment, ref, fromArtifact, server, planOnly: true };
  const { plan, isUnseen, head, problem } = await work('deploy.check', payload);
  if (plan) {
    // What was asked for without it, by an earlier version, stays the same.
    const isAsked = head !== null && (before === null || 'head' in before);
    return { ...plan, ...(isUnseen ? { isUnseen } : {}), ...(isAsked ? { head } : {}) };
  }
  throw new AppError('NOT_RESOLVED', { detail: problem ?? 'the job service gave no reason' });
}

/** What nobody decides by: it follows from the commit, the server by its name, and the variables that were set. */
export function derivedOf(resolved: Resolved): readonly string[] {
  const digests = ['artifact', 'file', 'dockerfile', 'variables', 'health', 'isUnseen'];
  const server = ['driver', 'host', 'hostKey', 'login'].map((member) => `server.${member}`);
  const commit = headOf(resolved) === null ? [] : ['commit'];
  // A plan that its person has not seen is what they decide about.
  const plan = unseenPlan(resolved) ? [] : ['build', 'start'];
  return [...digests, ...server, ...commit, ...plan].map((name) => `→ ${name}`);
}

/** What a preview says of the commit. */
export function sayCommit(resolved: Resolved | null) {
  const head = headOf(resolved);
  return { hasHead: head !== null, subject: head?.subject ?? '', author: head?.author ?? '' };
}

/** What was decided about. Throws when nothing was, which is a mistake of ours. */
export function planOf({ resolved }: Pick<ToolContext, 'resolved'>): DeployPlan {
  return DeployPlan.parse(resolved);
}

/** How a repository that does not say it itself would be built and started; null for one that says it, or that served like this before. */
export function unseenPlan(resolved: Resolved | null): Pick<DeployPlan, 'build' | 'start'> | null {
  return Seen.parse(resolved ?? {}).isUnseen ? DeployPlan.parse(resolved) : null;
}

/** What the author of the commit says of it; null where that was not read. */
function headOf(resolved: Resolved | null): CommitHead | null {
  return Head.parse(resolved ?? {}).head ?? null;
}

const Head = z.object({ head: CommitHead.optional() });

/** Throws NOT_FOUND (project), REPOSITORY_MISSING. */
export async function requireRepository(ports: ToolContext['ports'], project: string): Promise<void> {
  const { repository } = await ports.projects.get(project);
  if (repository === null) throw new AppError('REPOSITORY_MISSING', { project });
}
