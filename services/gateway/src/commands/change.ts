/** What an approver wants changed in a proposed action. */
export type ReadChange =
  | { readonly ok: true; readonly change: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly why: string };

/**
 * Reads `version: 1.4.3` or `version = 1.4.3`, one per line or behind commas. Values become of the kind that they are now; the tool's
 * schema has the last word. Names that the action does not have are an error.
 */
export function readChange(text: string, now: Readonly<Record<string, unknown>>): ReadChange {
  const known = Object.keys(now);
  const lines = text.split(/[\n;]|,\s*(?=\w+\s*[:=])/).map((line) => line.trim());
  const change: Record<string, unknown> = {};
  for (const line of lines.filter((one) => one !== '')) {
    const match = /^[-*\s]*`?([\w.-]+)`?\s*[:=]\s*`?([\s\S]*?)`?$/.exec(line);
    const name = match?.[1];
    if (name === undefined || match?.[2] === undefined)
      return {
        ok: false,
        why: `I cannot read “${line.slice(0, 80)}”. Write it as \`name: value\`, one per line. ${listed(known)}`,
      };
    if (!Object.hasOwn(now, name))
      return { ok: false, why: `There is nothing named “${name}” to change. ${listed(known)}` };
    const value = like(now[name], match[2].trim());
    if (value === undefined) return { ok: false, why: `“${match[2].slice(0, 40)}” does not fit ${name}.` };
    change[name] = value;
  }
  if (Object.keys(change).length === 0) return { ok: false, why: `There is nothing in it to change. ${listed(known)}` };
  return { ok: true, change };
}

function like(before: unknown, text: string): unknown {
  if (typeof before === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (typeof before === 'boolean') return { true: true, yes: true, false: false, no: false }[text.toLowerCase()];
  return text;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'The action has no arguments.' : `It has: ${names.join(', ')}.`;
}
