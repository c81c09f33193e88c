import { say } from '@signalbox/messages/say';
import { runDeployment } from '../deploy/engine.ts';
import type { DeployParts } from '../deploy/parts.ts';
import { describeBriefly, describeResult } from '../deploy/words.ts';
import type { HandlerOf } from '../runner/handlers.ts';

/** Takes one deployment to its end. */
export function createDeployRun(parts: DeployParts): HandlerOf<'deploy.run'> {
  return {
    title: () => say('jobs.theDeployment'),
    run: ({ deploymentId }, context) => runDeployment(parts, deploymentId, context),
    say: describeResult,
    brief: describeBriefly,
  };
}
