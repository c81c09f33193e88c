import type { JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import { say } from '@signalbox/messages/say';
import { runDeployment } from '../deploy/engine.ts';
import type { DeployParts } from '../deploy/parts.ts';
import { describeBriefly, describeResult } from '../deploy/words.ts';
import type { JobHandler } from '../runner/handlers.ts';

/** Takes one deployment to its end. */
export function createDeployRun(parts: DeployParts): JobHandler<JobPayload<'deploy.run'>, JobResult<'deploy.run'>> {
  return {
    title: () => say('jobs.theDeployment'),
    run: ({ deploymentId }, context) => runDeployment(parts, deploymentId, context),
    say: describeResult,
    brief: describeBriefly,
    isNotable: () => true,
  };
}
