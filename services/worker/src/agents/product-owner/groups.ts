import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';

/** The number of turns that an unused group stays loaded. Loading again costs about as much, so the total is at most twice the best. */
const TURNS_UNUSED = 3;

/** For each group, the person's turns since a call used it. */
export type IdleTurns = Readonly<Record<string, number>>;

/** The union of loaded and newly loaded groups. Pure. */
export function withGroups(groups: readonly string[], loaded: readonly string[]): string[] {
  return [...new Set([...groups, ...loaded])];
}

/** Groups unused for too long. Pure. */
export function findIdle(groups: readonly string[], idle: IdleTurns): readonly string[] {
  return groups.filter((group) => (idle[group] ?? 0) >= TURNS_UNUSED);
}

/** Counts a new turn; removed groups are forgotten. Pure. */
export function countTurn(groups: readonly string[], idle: IdleTurns): IdleTurns {
  return Object.fromEntries(groups.map((group) => [group, (idle[group] ?? 0) + 1]));
}

/** Resets the counts of groups whose tools were proposed or that were loaded. Pure. */
export function countUse(
  { groups }: Pick<ToolCatalog, 'groups'>,
  idle: IdleTurns,
  used: { readonly tools: readonly string[]; readonly loaded: readonly string[] },
): IdleTurns {
  const owners = groups.filter(({ tools }) => tools.some(({ name }) => used.tools.includes(name)));
  const names = [...owners.map(({ name }) => name), ...used.loaded];
  return { ...idle, ...Object.fromEntries(names.map((name) => [name, 0])) };
}
