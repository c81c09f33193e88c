import { toCanonicalJson } from './canonical.ts';

/** References in an action's arguments, resolved to JSON without secrets. */
export type ResolvedRefs = Readonly<Record<string, unknown>>;

const MAX_VALUE_LENGTH = 90;
const MAX_CHANGES = 5;

/**
 * Describes the differences of resolved values for people: "commit was `a1…` and is `b2…`". Empty when equal. Records and lists of named
 * items are compared member by member. `expected`: names whose changes are none. Pure.
 */
export function listChanges(was: ResolvedRefs, is: ResolvedRefs, expected: readonly string[] = []): readonly string[] {
  const [before, now] = [flatten(was), flatten(is)];
  const names = [...new Set([...before.keys(), ...now.keys()])].sort();
  const changed = names.filter((name) => before.get(name) !== now.get(name) && !expected.includes(name));
  const sentences = changed
    .slice(0, MAX_CHANGES)
    .map((name) => `${name} was ${quoteValue(before.get(name))} and is ${quoteValue(now.get(name))}`);
  return changed.length > MAX_CHANGES ? [...sentences, `${changed.length - MAX_CHANGES} more`] : sentences;
}

/** Flattens members of records and of lists of named items to one level. */
function flatten(resolved: ResolvedRefs): ReadonlyMap<string, string> {
  const flat = new Map<string, string>();
  for (const [name, value] of Object.entries(resolved)) {
    if (Array.isArray(value) && value.every(isNamed))
      for (const { name: member, ...rest } of value) flat.set(`${name}.${member}`, toCanonicalJson(rest));
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [member, inner] of Object.entries(value)) flat.set(`${name}.${member}`, toCanonicalJson(inner));
    else if (value !== undefined) flat.set(name, toCanonicalJson(value));
  }
  return flat;
}

function isNamed(value: unknown): value is { readonly name: string } {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}

function quoteValue(json: string | undefined): string {
  if (json === undefined) return 'not there';
  const text = json.replace(/^"(.*)"$/s, '$1').replaceAll('`', "'");
  return `\`${text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH)}…`}\``;
}
