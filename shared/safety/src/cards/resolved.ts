import { canonicalJson } from './canonical.ts';

/** What the arguments of an action stand for, as it was looked up: JSON, without secrets. */
export type Resolved = Readonly<Record<string, unknown>>;

const SHOWN = 90;
const MOST = 5;

/**
 * What is no longer as it was, in words for people: "commit was `a1…` and is `b2…`". Empty when nothing changed. What is a record or a
 * list of named things is compared member by member. Pure.
 */
export function changesOf(was: Resolved, is: Resolved): readonly string[] {
  const [before, now] = [flatten(was), flatten(is)];
  const names = [...new Set([...before.keys(), ...now.keys()])].sort();
  const changed = names.filter((name) => before.get(name) !== now.get(name));
  const told = changed
    .slice(0, MOST)
    .map((name) => `${name} was ${shown(before.get(name))} and is ${shown(now.get(name))}`);
  return changed.length > MOST ? [...told, `${changed.length - MOST} more`] : told;
}

/** Members of a record, and those of a list of named things, one by one. */
function flatten(resolved: Resolved): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(resolved)) {
    if (Array.isArray(value) && value.every(isNamed))
      for (const { name: member, ...rest } of value) found.set(`${name}.${member}`, canonicalJson(rest));
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [member, inner] of Object.entries(value)) found.set(`${name}.${member}`, canonicalJson(inner));
    else if (value !== undefined) found.set(name, canonicalJson(value));
  }
  return found;
}

function isNamed(value: unknown): value is { readonly name: string } {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}

function shown(json: string | undefined): string {
  if (json === undefined) return 'not there';
  const text = json.replace(/^"(.*)"$/s, '$1').replaceAll('`', "'");
  return `\`${text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`}\``;
}
