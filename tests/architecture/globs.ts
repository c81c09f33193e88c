/**
 * Whether a path matches a pattern. `*` stands for anything but a slash, `**` for anything, `{a,b}` for either, and
 * `<name>` for one folder whose name is remembered and may be used in other patterns. Null when it does not match.
 */
export function matchGlob(
  pattern: string,
  path: string,
  names: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> | null {
  const source = pattern.replace(/<(\w+)>|\*\*\/|\*\*|\*|\{([^}]*)\}|[.+^$()|[\]\\]/g, (token, name, choices) => {
    if (name !== undefined) return names[name] === undefined ? `(?<${name}>[^/]+)` : names[name];
    if (choices !== undefined) return `(?:${choices.split(',').map(escape).join('|')})`;
    if (token === '**/') return '(?:.*/)?';
    if (token === '**') return '.*';
    return token === '*' ? '[^/]*' : `\\${token}`;
  });
  const match = new RegExp(`^${source}$`).exec(path);
  return match ? { ...names, ...match.groups } : null;
}

/** Whether a path matches any of the patterns. */
export function matchesAny(
  patterns: readonly string[],
  path: string,
  names: Readonly<Record<string, string>> = {},
): boolean {
  return patterns.some((pattern) => matchGlob(pattern, path, names) !== null);
}

/** A choice may hold stars of its own: `{shared,services/*}`. */
function escape(choice: string): string {
  return choice.replace(/[.+^$()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
}
