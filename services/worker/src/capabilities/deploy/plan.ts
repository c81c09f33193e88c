import { DeployPlan, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import type { Resolved, Resolving, ToolContext } from '../../tools/tool.ts';

/** What a deployment would run: its commit, its server, its build. Throws NOT_RESOLVED with what stands in the way. */
export async function resolveDeployment(
  wish: ServiceKey & { readonly ref: string; readonly server: string | null; readonly fromArtifact: string | null },
  { work, before }: Resolving,
): Promise<Resolved> {
  // Where there is a choice, it was made before anybody was asked.
  const server = wish.server ?? (before ? DeployPlan.parse(before).server.name : null);
  const { project, environment, ref, fromArtifact } = wish;
  const payload = { project, environment, ref, fromArtifact, server, planOnly: true };
  const { plan, problem } = await work('deploy.check', payload);
  if (plan) return plan;
  throw new AppError('NOT_RESOLVED', { detail: problem ?? 'the job service gave no reason' });
}

/** What was decided about. Throws when nothing was, which is a mistake of ours. */
export function planOf({ resolved }: Pick<ToolContext, 'resolved'>): DeployPlan {
  return DeployPlan.parse(resolved);
}
