/** A value of a file that somebody else wrote, read without trusting its shape. */
export type Plain = Readonly<Record<string, unknown>>;

/** An object's own entries; none where it is something else. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isPlain(value) ? Object.entries(value) : [];
}

export function fieldOf(value: unknown, name: string): unknown {
  return isPlain(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value below several names, one in another. */
export function pathOf(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce(fieldOf, value);
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function collectTexts(value: unknown): readonly string[] {
  return listOf(value).filter((one): one is string => typeof one === 'string');
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a parser makes of a text, null where it finds it wrong or nested too deep. */
export function parsed(parse: () => unknown): unknown {
  try {
    return parse() ?? null;
  } catch {
    // A damaged file, or one made to overflow the stack: there is nothing to read in it.
    return null;
  }
}

/** The lines on which names are first given: `"name": …` and `name = …`. Counts from 1. */
export function linesOfNames(text: string): (name: string, value?: string) => number | undefined {
  const lines = new Map<string, number>();
  for (const [index, line] of text.split('\n').entries()) {
    const given = /^\s*["']?([\w@][^"'\s=:]*)["']?\s*[:=]\s*(?:"([^"]*)")?/.exec(line.slice(0, MAX_LINE_LENGTH));
    if (!given) continue;
    const [, name = '', value] = given;
    if (!lines.has(name)) lines.set(name, index + 1);
    if (value !== undefined && !lines.has(`${name}\n${value}`)) lines.set(`${name}\n${value}`, index + 1);
  }
  return (name, value) => lines.get(`${name}\n${value ?? ''}`) ?? lines.get(name);
}

/** Longer lines were not written by a person. */
const MAX_LINE_LENGTH = 1_000;
