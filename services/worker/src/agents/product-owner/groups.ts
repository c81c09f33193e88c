import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';

/** Adds loaded groups behind the earlier ones: the order of tools never changes within a conversation. Pure. */
export function mergeGroups(groups: readonly string[], loaded: readonly string[]): string[] {
  return [...new Set([...groups, ...loaded])];
}

/** Finds the installed group of a tool; null when there is none. Pure. */
export function findGroup({ groups }: Pick<ToolCatalog, 'groups'>, tool: string): string | null {
  return groups.find(({ installed, tools }) => installed && tools.some(({ name }) => name === tool))?.name ?? null;
}

export function listInstalled({ groups }: Pick<ToolCatalog, 'groups'>): readonly string[] {
  return groups.filter(({ installed }) => installed).map(({ name }) => name);
}
