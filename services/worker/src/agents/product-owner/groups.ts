import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';

/**
 * The number of turns that an unused group stays loaded. Loading again costs about as much, so the total is at most
 * twice the best.
 */
const TURNS_UNUSED = 3;

/** For each group, how many turns of a person have begun since a call used it. */
export type IdleTurns = Readonly<Record<string, number>>;

/** The groups with those that were loaded besides, each once. Pure. */
export function withGroups(groups: readonly string[], loaded: readonly string[]): string[] {
  return [...new Set([...groups, ...loaded])];
}

/** The groups that nothing has used for too long. Pure. */
export function findIdle(groups: readonly string[], idle: IdleTurns): readonly string[] {
  return groups.filter((group) => (idle[group] ?? 0) >= TURNS_UNUSED);
}

/** The count when a turn begins. Groups that are gone are forgotten: loaded again, they begin anew. Pure. */
export function countTurn(groups: readonly string[], idle: IdleTurns): IdleTurns {
  return Object.fromEntries(groups.map((group) => [group, (idle[group] ?? 0) + 1]));
}

/** The count when calls of these tools were proposed, and these groups loaded. Pure. */
export function countUse(
  { groups }: Pick<ToolCatalog, 'groups'>,
  idle: IdleTurns,
  used: { readonly tools: readonly string[]; readonly loaded: readonly string[] },
): IdleTurns {
  const owners = groups.filter(({ tools }) => tools.some(({ name }) => used.tools.includes(name)));
  const names = [...owners.map(({ name }) => name), ...used.loaded];
  return { ...idle, ...Object.fromEntries(names.map((name) => [name, 0])) };
}
