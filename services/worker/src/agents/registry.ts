import { readdir } from 'node:fs/promises';
import { AppError } from '@signalbox/contracts/errors';
import type { Models } from '@signalbox/models/port';
import type { Agent, AgentDeps, AgentPlugin } from './agent.ts';
import { DEFAULT_AGENT } from './default-agent.ts';
import { listOthers } from './handoff.ts';

const FOLDER = new URL('./', import.meta.url);

/** Loads `more` and every agent, that is, each folder of agents/ whose index file exports an AgentPlugin. */
export async function loadAgents(more: readonly AgentPlugin[] = []): Promise<readonly AgentPlugin[]> {
  const entries = await readdir(FOLDER, { withFileTypes: true });
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return [...(await Promise.all(folders.map(loadAgent))), ...more];
}

/** Creates the agents. Throws on duplicate ids or a missing default agent. */
export function createAgents(
  plugins: readonly AgentPlugin[],
  parts: Omit<AgentDeps, 'model' | 'others'> & { readonly models: Models },
  defaultId: string = DEFAULT_AGENT,
) {
  const agents = new Map<string, Agent>();
  for (const plugin of plugins) {
    if (agents.has(plugin.id)) refuse(`two agents are named ${plugin.id}; agent ids are unique.`);
    const others = listOthers(plugin.id, plugins);
    agents.set(plugin.id, plugin.create({ ...parts, others, model: (node) => parts.models.of(plugin.id, node) }));
  }
  if (!agents.has(defaultId))
    refuse(`the default agent ${defaultId} is missing from agents/; AGENT_DEFAULT names one that is there.`);
  return {
    /** Returns an agent by id. Throws AGENT_UNKNOWN, which lists the known ids. */
    get(id: string): Agent {
      const agent = agents.get(id);
      if (!agent) throw new AppError('AGENT_UNKNOWN', { id, known: [...agents.keys()].join(', ') });
      return agent;
    },
  };
}

async function loadAgent(folder: string): Promise<AgentPlugin> {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const loaded: unknown = await import(new URL(`${folder}/index.${ending}`, FOLDER).href);
  const plugin = (loaded as { default?: AgentPlugin }).default; // The next lines check this type
  if (!plugin || typeof plugin.create !== 'function')
    refuse(`agents/${folder}/index.ts must export default an AgentPlugin.`);
  const expected = folder.replaceAll('-', '_');
  if (plugin.id !== expected) refuse(`agents/${folder} exports the agent ${plugin.id}; its id must be ${expected}.`);
  return plugin;
}

function refuse(reason: string): never {
  throw new AppError('STARTUP_REFUSED', { reason });
}
