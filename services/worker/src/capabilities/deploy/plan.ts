import { z } from 'zod';
import { DeployPlan, type ServiceKey } from '@signalbox/contracts/operations/deploy';
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
  const { plan, isUnseen, problem } = await work('deploy.check', payload);
  if (plan) return isUnseen ? { ...plan, isUnseen } : plan;
  throw new AppError('NOT_RESOLVED', { detail: problem ?? 'the job service gave no reason' });
}

/** What was decided about. Throws when nothing was, which is a mistake of ours. */
export function planOf({ resolved }: Pick<ToolContext, 'resolved'>): DeployPlan {
  return DeployPlan.parse(resolved);
}

/** How a repository that does not say it itself would be built and started; null for one that says it, or that served like this before. */
export function unseenPlan(resolved: Resolved | null): Pick<DeployPlan, 'build' | 'start'> | null {
  return Seen.parse(resolved ?? {}).isUnseen ? DeployPlan.parse(resolved) : null;
}

/** Throws NOT_FOUND (project), REPOSITORY_MISSING. */
export async function requireRepository(ports: ToolContext['ports'], project: string): Promise<void> {
  const { repository } = await ports.projects.get(project);
  if (repository === null) throw new AppError('REPOSITORY_MISSING', { project });
}
