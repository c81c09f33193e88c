import { say } from '@signalbox/messages/say';

/** A change that an approver wants in a proposed action. */
export type ParsedChange =
  | { readonly ok: true; readonly change: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly why: string };

/**
 * Reads `version: 1.4.3` or `version = 1.4.3`, separated by lines or commas. Values get the type of the current value;
 * the tool's schema validates them later. Unknown names are an error.
 */
export function parseChange(text: string, current: Readonly<Record<string, unknown>>): ParsedChange {
  const known = describeNames(Object.keys(current));
  const lines = text.split(/[\n;]|,\s*(?=\w+\s*[:=])/).map((line) => line.trim());
  const change: Record<string, unknown> = {};
  for (const line of lines.filter((one) => one !== '')) {
    const match = /^[-*\s]*`?(\w[\w.-]*)`?\s*[:=]\s*`?([\s\S]*?)`?$/.exec(line);
    const name = match?.[1];
    if (name === undefined || match?.[2] === undefined)
      return { ok: false, why: say('governance.unreadable-change', { line: line.slice(0, 80), known }) };
    if (!Object.hasOwn(current, name)) return { ok: false, why: say('governance.unknown-name', { name, known }) };
    const value = parseLike(current[name], match[2].trim());
    if (value === undefined)
      return { ok: false, why: say('governance.unfitting-value', { value: match[2].slice(0, 40), name }) };
    change[name] = value;
  }
  if (Object.keys(change).length === 0) return { ok: false, why: say('governance.no-change', { known }) };
  return { ok: true, change };
}

function parseLike(before: unknown, text: string): unknown {
  if (typeof before === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (typeof before === 'boolean') return { true: true, yes: true, false: false, no: false }[text.toLowerCase()];
  return text;
}

function describeNames(names: readonly string[]): string {
  return names.length === 0 ? say('governance.no-arguments') : say('governance.arguments', { names: names.join(', ') });
}
