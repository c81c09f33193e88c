import { AppError } from '@signalbox/contracts/errors';
import { loadPlugins, policyFoldersOf } from '@signalbox/plugins/load-plugins';
import type { Pool } from '@signalbox/store/pool';
import type { AgentPlugin } from './agents/agent.ts';
import type { CorePorts, Ports } from './tools/ports/ports.ts';
import type { ToolGroup } from './tools/tool.ts';

/** What a plug-in brings to the worker: the default export of the module that its `worker` loads. */
export interface WorkerParts {
  readonly agents: readonly AgentPlugin[];
  /** Its tools. A group with an `owner` belongs to that agent alone. */
  readonly groups: readonly ToolGroup[];
  /** What its tools reach, by the names that their groups have in `uses`. `notify` wakes another chat than that of the turn. */
  ports(parts: PortParts): Partial<Ports>;
}

export interface PortParts {
  readonly pool: Pool;
  notify(chatKey: string, traceId: string): Promise<void>;
}

/** Declares what a plug-in brings to the worker. */
export function defineWorkerParts(parts: WorkerParts): WorkerParts {
  return parts;
}

/** The parts of all plug-ins that AGENTS names, and the folders of their policies. Throws STARTUP_REFUSED for a plug-in that brings none. */
export async function loadWorkerParts(agents: string) {
  const plugins = await loadPlugins(agents);
  const parts = await Promise.all(
    plugins.map(async ({ name, worker }) => {
      const { default: found } = await worker();
      if ('agents' in found && 'groups' in found && 'ports' in found) return found as WorkerParts; // its three members
      const reason = `the plug-in ${name} has to load a module that exports defineWorkerParts({…}) as default.`;
      throw new AppError('STARTUP_REFUSED', { reason });
    }),
  );
  return {
    agents: parts.flatMap((part) => part.agents),
    groups: parts.flatMap((part) => part.groups),
    policies: policyFoldersOf(plugins),
    ports: (given: PortParts) =>
      Object.assign({}, ...parts.map((part) => part.ports(given))) as Omit<Ports, keyof CorePorts>, // of all that are loaded
  };
}
