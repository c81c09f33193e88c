import type { EssentialValue } from '@signalbox/contracts/governance/approval';
import { renderExactAction, type ExactAction } from './canonical-card.ts';

/** What a tool declares about the values of its calls, by name. Resolved values are named `→ name`, their members `→ name.member`. */
export interface DeclaredValues {
  /** Values that the preview lines of the tool show completely. */
  readonly told: readonly string[];
  /** Values that follow from other values, such as digests, and arguments that a sentence of the card puts into words. */
  readonly derived: readonly string[];
}

/**
 * Lists the values that a decision depends on, in the order and form of `renderExactAction`: all except derived values and null or empty
 * resolved values. Pure.
 */
export function listEssentialValues(
  { arguments: input, resolved }: Omit<ExactAction, 'tool'>,
  { told, derived }: DeclaredValues,
): readonly EssentialValue[] {
  const args = Object.entries(input).filter(
    ([name, value]) => value !== undefined && value !== null && !derived.includes(name),
  );
  const found = Object.entries(withoutDerived(resolved ?? {}, derived, RESOLVED_PREFIX));
  return [
    ...args.toSorted(byName).map(([name, value]) => ({
      shown: renderValues({ tool: '', arguments: { [name]: value } }),
      told: told.includes(name) ? listLeaves(value) : null,
    })),
    ...found.toSorted(byName).map(([name, value]) => ({
      shown: renderValues({ tool: '', arguments: {}, resolved: { [name]: value } }),
      told: told.includes(`${RESOLVED_PREFIX}${name}`) ? listLeaves(value) : null,
    })),
  ];
}

/** Lists the lines of an exact action without the tool's line. */
export function listValueLines(exact: string): readonly string[] {
  const lines = exact.split('\n');
  const first = lines.findIndex((line, place) => place > 0 && !line.startsWith('┊'));
  return first === -1 ? [] : lines.slice(first);
}

const RESOLVED_PREFIX = '→ ';

function renderValues(action: ExactAction): string {
  return listValueLines(renderExactAction(action)).join('\n');
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

function listLeaves(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listLeaves);
  return isRecord(value) ? Object.values(value).flatMap(listLeaves) : [String(value)];
}
