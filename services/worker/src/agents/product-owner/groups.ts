import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';

/**
 * Turns that a loaded group stays without being used. Keeping and loading again then cost about the same, so whatever comes next costs
 * at most twice the least possible. Measured on the shipped groups: the definitions of one are 4,200 characters (33,300 in 8 groups), and a
 * turn binds them in two passes; loading costs a further pass, which is given the base tools and the prompt (5,900), the groups that stay
 * (one or two, 4,200 to 8,400) and the conversation (some 10,000).
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
