import type { OfferedTools } from './registry.ts';
import type { ToolGroup } from './tool.ts';

/** Agents limited to certain capability groups. Other agents may load every group without an owner. */
const BOUND: Readonly<Record<string, readonly string[]>> = { repo_analyst: ['repository'] };

export function mayUseGroup(agent: string, { name, owner }: Pick<ToolGroup, 'name' | 'owner'>): boolean {
  if (owner !== undefined) return owner === agent;
  const bound = Object.hasOwn(BOUND, agent) ? BOUND[agent] : undefined;
  return bound?.includes(name) ?? true;
}

/** Limits what an agent is offered to its groups, all of whose tools it always has. */
export function limitOfferedTools(agent: string, { catalog, definitions, sort }: OfferedTools): OfferedTools {
  const isOpen = (name: string): boolean => mayUseGroup(agent, { name });
  return {
    catalog: { groups: catalog.groups.filter(({ name }) => isOpen(name)) },
    definitions: (active) => definitions(active.filter(isOpen)),
    offer: (may) => definitions(may.filter(isOpen)),
    sort: (names) => {
      const { installed, missing, unknown } = sort(names);
      const closed = [...installed, ...missing].filter((name) => !isOpen(name));
      return { installed: installed.filter(isOpen), missing: missing.filter(isOpen), unknown: [...unknown, ...closed] };
    },
  };
}
