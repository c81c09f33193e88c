import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';

/** Number of turns for which an unused group stays loaded: reloading it costs about as much as keeping it this long. */
const TURNS_UNUSED = 3;

/** Number of turns since the last call of a tool, by group. */
export type IdleTurns = Readonly<Record<string, number>>;

export function mergeGroups(groups: readonly string[], loaded: readonly string[]): string[] {
  return [...new Set([...groups, ...loaded])];
}

/** Lists groups unused for `TURNS_UNUSED` turns. Pure. */
export function findIdleGroups(groups: readonly string[], idle: IdleTurns): readonly string[] {
  return groups.filter((group) => (idle[group] ?? 0) >= TURNS_UNUSED);
}

/** Adds one turn to each group's idle count, and drops groups no longer loaded. Pure. */
export function countIdleTurn(groups: readonly string[], idle: IdleTurns): IdleTurns {
  return Object.fromEntries(groups.map((group) => [group, (idle[group] ?? 0) + 1]));
}

/** Resets the idle counts of groups that were loaded, or whose tools the model proposed. Pure. */
export function resetUsedGroups(
  { groups }: Pick<ToolCatalog, 'groups'>,
  idle: IdleTurns,
  used: { readonly tools: readonly string[]; readonly loaded: readonly string[] },
): IdleTurns {
  const owners = groups.filter(({ tools }) => tools.some(({ name }) => used.tools.includes(name)));
  const names = [...owners.map(({ name }) => name), ...used.loaded];
  return { ...idle, ...Object.fromEntries(names.map((name) => [name, 0])) };
}
