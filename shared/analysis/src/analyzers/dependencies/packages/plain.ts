/** An object parsed from an untrusted file. */
export type PlainObject = Readonly<Record<string, unknown>>;

/** Lists the own entries of an object; empty for other values. */
export function listEntries(value: unknown): readonly (readonly [string, unknown])[] {
  return isPlainObject(value) ? Object.entries(value) : [];
}

export function getField(value: unknown, name: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function getNestedField(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce(getField, value);
}

export function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function listTexts(value: unknown): readonly string[] {
  return toList(value).filter((one): one is string => typeof one === 'string');
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the parsed value; null when the parser throws, for example because deep nesting overflows the stack. */
export function tryParse(parse: () => unknown): unknown {
  try {
    return parse() ?? null;
  } catch {
    return null;
  }
}

/** Parses a TOML file; null when malformed. */
export async function parseToml(text: string): Promise<PlainObject | null> {
  const { parse } = await import('smol-toml');
  const root = tryParse(() => parse(text));
  return isPlainObject(root) ? root : null;
}

/** Reads the version range of a dependency, which is a text or the `version` of a table. */
export function readVersionRange(value: unknown): string | null {
  return toText(value) ?? toText(getField(value, 'version'));
}

/** Returns a function that finds the line, from 1, where `"name": …` or `name = …` first occurs; empty when there is none. */
export function indexNameLines(text: string): (name: string, value?: string) => { readonly line?: number } {
  const lines = new Map<string, number>();
  for (const [index, line] of text.split('\n').entries()) {
    const given = /^\s*["']?([\w@][^"'\s=:]*)["']?\s*[:=]\s*(?:"([^"]*)")?/.exec(line.slice(0, MAX_LINE_LENGTH));
    if (!given) continue;
    const [, name = '', value] = given;
    if (!lines.has(name)) lines.set(name, index + 1);
    if (value !== undefined && !lines.has(`${name}\n${value}`)) lines.set(`${name}\n${value}`, index + 1);
  }
  return (name, value) => {
    const line = lines.get(`${name}\n${value ?? ''}`) ?? lines.get(name);
    return line === undefined ? {} : { line };
  };
}

const MAX_LINE_LENGTH = 1_000;
