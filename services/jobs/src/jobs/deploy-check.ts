import type { JobPayload, JobResult } from '@signalbox/shared/contracts/jobs';
import type { createProjects } from '@signalbox/shared/db/projects';
import type { DeployParts } from '../deploy/parts.ts';
import { measureReadiness } from '../deploy/readiness.ts';
import { openVariables } from '../deploy/variables.ts';
import type { JobHandler } from '../handlers.ts';
import { createOpenedSecrets } from '../opened-secrets.ts';

/** Measures whether a deployment could begin; what is missing is an answer, not a failure. */
export function createDeployCheck(
  parts: DeployParts,
  projects: Pick<ReturnType<typeof createProjects>, 'get'>,
): JobHandler<JobPayload<'deploy.check'>, JobResult<'deploy.check'>> {
  return {
    title: 'The check before a deployment',
    async run(wish, context) {
      const { repository } = await projects.get(wish.project);
      const opened = createOpenedSecrets();
      const purpose = `to see whether ${wish.project} can be deployed to ${wish.environment}`;
      const { ready, target, commit, checks } = await measureReadiness(
        parts,
        { ...wish, deploymentId: null, built: null },
        {
          repository,
          variables: () => openVariables(parts, wish, { openSecret: context.openSecret, opened, purpose }),
          context,
          signal: context.signal,
        },
      );
      return { ready, server: target?.server ?? null, commit, checks: [...checks] };
    },
    say: ({ ready, checks }) => {
      const failed = checks.filter(({ ok }) => !ok);
      if (ready) return `Ready: all ${checks.length} checks hold.`;
      return `Not ready. ${failed.map(({ name, evidence, remedy }) => `${name}: ${evidence} ${remedy ?? ''}`.trim()).join(' ')}`;
    },
    isNotable: () => true,
  };
}
