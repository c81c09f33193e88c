import type { DeployState } from '@signalbox/contracts/operations/deploy';
import { say } from './say.ts';

/** What goes on in a state of a deployment, or what came of it: the same words wherever people read them. */
export function sayState(state: DeployState): string {
  return say(`deployment.state-${state}`);
}
