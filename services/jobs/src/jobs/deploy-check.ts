import type { JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import type { createProjectStore } from '@signalbox/store/deploy/projects';
import { AppError } from '@signalbox/contracts/errors';
import { toErrorCause } from '@signalbox/contracts/operations/error-cause';
import { explainError, say } from '@signalbox/messages/say';
import type { DeployDeps } from '../deploy/deploy-deps.ts';
import { toRepository, type Repository } from '../git/repository-login.ts';
import { resolvePlan } from '../deploy/steps/plan.ts';
import { measureReadiness } from '../deploy/steps/readiness.ts';
import { openVariables } from '../deploy/variables.ts';
import type { JobContext, HandlerOf } from '../runner/handlers.ts';
import { createOpenedSecrets } from '../runner/opened-secrets.ts';

const NOTHING = {
  server: null,
  commit: null,
  checks: [],
  plan: null,
  head: null,
  isUnseen: false,
  problem: null,
  cause: null,
};

/** Checks whether a deployment could start. A missing requirement is a result, not a failure. */
export function createDeployCheckHandler(
  parts: DeployDeps,
  projects: Pick<ReturnType<typeof createProjectStore>, 'get'>,
): HandlerOf<'deploy.check'> {
  return {
    title: () => say('jobs.theCheckBeforeADeployment'),
    async run(request, context) {
      const repository = toRepository(await projects.get(request.project), context.openSecret);
      if (request.planOnly) return resolve(parts, request, repository, context);
      const opened = createOpenedSecrets();
      const purpose = `to see whether ${request.project} can be deployed to ${request.environment}`;
      const { ready, target, commit, checks } = await measureReadiness(
        parts,
        { ...request, commit: null, deploymentId: null, built: null },
        {
          repository,
          variables: () => openVariables(parts, request, { openSecret: context.openSecret, opened, purpose }),
          context,
          signal: context.signal,
        },
      );
      return { ...NOTHING, ready, server: target?.server ?? null, commit, checks: [...checks] };
    },
    say: ({ ready, checks, problem }) => {
      if (problem !== null) return problem;
      const failed = checks.filter(({ ok }) => !ok);
      if (ready) return say('jobs.deployReady', { checks: checks.length });
      return say('jobs.deployNotReady', {
        failed: failed.map(({ name, evidence, remedy }) => `${name}: ${evidence} ${remedy ?? ''}`.trim()).join(' '),
      });
    },
  };
}

/** Resolves the plan of a deployment. An obstacle is a result, not a failure. */
async function resolve(
  parts: DeployDeps,
  request: JobPayload<'deploy.check'>,
  repository: Repository | null,
  { signal }: JobContext,
): Promise<JobResult<'deploy.check'>> {
  try {
    const { plan, isUnseen, head } = await resolvePlan(parts, request, repository, signal);
    return { ...NOTHING, ready: true, server: plan.server.name, commit: plan.commit, plan, head, isUnseen };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...NOTHING, ready: false, problem: explainError(error).slice(0, 2_000), cause: toErrorCause(error) };
  }
}
