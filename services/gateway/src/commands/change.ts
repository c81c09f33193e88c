import { say } from '@signalbox/messages/say';

/** What an approver wants changed in a proposed action. */
export type ReadChange =
  | { readonly ok: true; readonly change: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly why: string };

/**
 * Reads `version: 1.4.3` or `version = 1.4.3`, one per line or behind commas. Values become of the kind that they are now; the tool's
 * schema has the last word. Names that the action does not have are an error.
 */
export function readChange(text: string, now: Readonly<Record<string, unknown>>): ReadChange {
  const known = describeNames(Object.keys(now));
  const lines = text.split(/[\n;]|,\s*(?=\w+\s*[:=])/).map((line) => line.trim());
  const change: Record<string, unknown> = {};
  for (const line of lines.filter((one) => one !== '')) {
    const match = /^[-*\s]*`?(\w[\w.-]*)`?\s*[:=]\s*`?([\s\S]*?)`?$/.exec(line);
    const name = match?.[1];
    if (name === undefined || match?.[2] === undefined)
      return { ok: false, why: say('governance.unreadable-change', { line: line.slice(0, 80), known }) };
    if (!Object.hasOwn(now, name)) return { ok: false, why: say('governance.unknown-name', { name, known }) };
    const value = like(now[name], match[2].trim());
    if (value === undefined)
      return { ok: false, why: say('governance.unfitting-value', { value: match[2].slice(0, 40), name }) };
    change[name] = value;
  }
  if (Object.keys(change).length === 0) return { ok: false, why: say('governance.no-change', { known }) };
  return { ok: true, change };
}

function like(before: unknown, text: string): unknown {
  if (typeof before === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (typeof before === 'boolean') return { true: true, yes: true, false: false, no: false }[text.toLowerCase()];
  return text;
}

function describeNames(names: readonly string[]): string {
  return names.length === 0 ? say('governance.no-arguments') : say('governance.arguments', { names: names.join(', ') });
}
