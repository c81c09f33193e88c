import type { DeployState } from '@signalbox/contracts/operations/deploy';
import { say } from './say.ts';

/** Names the state of a deployment for people. */
export function sayDeployState(state: DeployState): string {
  return say(`deployment.state-${state}`);
}
