import { AppError } from '@signalbox/contracts/errors';
import { loadPlugins, listPluginPolicyFolders } from '@signalbox/plugins/load-plugins';
import type { Pool } from '@signalbox/store/pool';
import type { AgentPlugin } from './agents/agent.ts';
import type { CorePorts, Ports } from './tools/ports/ports.ts';
import type { ToolGroup } from './tools/tool.ts';

/** What a plug-in adds to the worker: the default export of its `worker` module. */
export interface WorkerParts {
  readonly agents: readonly AgentPlugin[];
  /** The plug-in's tools. A group with an `owner` belongs to that agent alone. */
  readonly groups: readonly ToolGroup[];
  /** The ports of the plug-in's tools, by the names in their groups' `uses`. `notify` sends a message to another chat than the turn's. */
  ports(parts: PortParts): Partial<Ports>;
}

export interface PortParts {
  readonly pool: Pool;
  notify(chatKey: string, traceId: string): Promise<void>;
}

export function defineWorkerParts(parts: WorkerParts): WorkerParts {
  return parts;
}

/** Loads the worker parts and policy folders of all plug-ins in AGENTS. Throws STARTUP_REFUSED for a plug-in without worker parts. */
export async function loadWorkerParts(agents: string) {
  const plugins = await loadPlugins(agents);
  const parts = await Promise.all(
    plugins.map(async ({ name, worker }) => {
      const { default: found } = await worker();
      if ('agents' in found && 'groups' in found && 'ports' in found) return found as WorkerParts; // the three members of WorkerParts
      const reason = `the plug-in ${name} has to load a module that exports defineWorkerParts({…}) as default.`;
      throw new AppError('STARTUP_REFUSED', { reason });
    }),
  );
  return {
    agents: parts.flatMap((part) => part.agents),
    groups: parts.flatMap((part) => part.groups),
    policies: listPluginPolicyFolders(plugins),
    ports: (given: PortParts) =>
      Object.assign({}, ...parts.map((part) => part.ports(given))) as Omit<Ports, keyof CorePorts>, // the ports of all loaded plug-ins together
  };
}
