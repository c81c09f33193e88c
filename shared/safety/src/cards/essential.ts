import type { EssentialValue } from '@signalbox/contracts/governance/approval';
import { renderExact, type ExactAction } from './canonical-card.ts';

/** What a tool declares of the values of its calls, each by its name; one that was looked up as `→ name`, its members as `→ name.member`. */
export interface DeclaredValues {
  /** Values that the lines of its preview say whole. */
  readonly told: readonly string[];
  /** Values that follow from others: digests, logins. */
  readonly derived: readonly string[];
}

/**
 * The values that a person decides by, in the order and the writing of `renderExact`: all but those that were declared as derived, and
 * those that are null or were found to be empty. Pure.
 */
export function essentialOf(
  { arguments: args, resolved }: Omit<ExactAction, 'tool'>,
  { told, derived }: DeclaredValues,
): readonly EssentialValue[] {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
  const found = Object.entries(withoutDerived(resolved ?? {}, derived, FOUND));
  return [
    ...given.toSorted(byName).map(([name, value]) => ({
      shown: linesOf({ tool: '', arguments: { [name]: value } }),
      told: told.includes(name) ? leavesOf(value) : null,
    })),
    ...found.toSorted(byName).map(([name, value]) => ({
      shown: linesOf({ tool: '', arguments: {}, resolved: { [name]: value } }),
      told: told.includes(`${FOUND}${name}`) ? leavesOf(value) : null,
    })),
  ];
}

/** The lines of the values of an exact action, without that of its tool. */
export function valueLines(exact: string): readonly string[] {
  const lines = exact.split('\n');
  const first = lines.findIndex((line, place) => place > 0 && !line.startsWith('┊'));
  return first === -1 ? [] : lines.slice(first);
}

const FOUND = '→ ';

function linesOf(action: ExactAction): string {
  return valueLines(renderExact(action)).join('\n');
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function withoutDerived(
  values: Readonly<Record<string, unknown>>,
  derived: readonly string[],
  above: string,
): Readonly<Record<string, unknown>> {
  const kept = Object.entries(values).map(([name, value]): [string, unknown] => {
    if (derived.includes(above + name)) return [name, null];
    return [name, isRecord(value) ? withoutDerived(value, derived, `${above}${name}.`) : value];
  });
  return Object.fromEntries(kept.filter(([, value]) => !isEmpty(value)));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === '' || (isRecord(value) && Object.keys(value).length === 0);
}

function leavesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return isRecord(value) ? Object.values(value).flatMap(leavesOf) : [String(value)];
}
