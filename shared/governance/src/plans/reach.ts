import type { ActionEnvironment } from '@signalbox/contracts/governance/action';
import type { RunnableCall } from '../calls/call.ts';

/** Environments from harmless to critical. */
const ENVIRONMENTS: readonly ActionEnvironment[] = ['none', 'local', 'staging', 'production'];

/** As many resources as an action may have (contracts/governance/action.ts). */
const MAX_RESOURCES = 50;

/** Lists the resources of a call and its environment: of a plan those of all its steps, and the most critical one. Pure. */
export function findReach({ tool, input, resolved = null, steps }: RunnableCall): {
  readonly resources: string[];
  readonly environment: ActionEnvironment;
} {
  if (!steps) return { resources: [...tool.resources(input, resolved)], environment: tool.environment(input) };
  const reached = steps.map(({ call }) => findReach(call));
  const resources = [...new Set(reached.flatMap((one) => one.resources))].slice(0, MAX_RESOURCES);
  const environment = ENVIRONMENTS.findLast((place) => reached.some((one) => one.environment === place)) ?? 'none';
  return { resources, environment };
}
