import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { Tool } from '../calls/tool.ts';

/*
 * Decides whether a call is in the person's own words. Text from outside may have chosen a tool and its arguments, but it cannot have
 * planted a message that the person typed after it was read. A call is theirs when one such message begins with the name of the action,
 * as an order does, and contains every value other than the tool's defaults, whole and as typed. A value on a button that they pressed
 * since counts too. Questions, warnings and pasted text contain the same words, but do not begin with the action. Any other call needs
 * a confirmation.
 */

/** The person's messages, newest first, and labels of pressed buttons, since the newest outside text. */
interface OwnWords {
  readonly typed: readonly string[];
  readonly pressed: readonly string[];
}

/**
 * Finds the first part of a call (a value or the action) that no message contains; null when one message together with the pressed labels
 * contains all parts. When unsure it returns a part, so that the person is asked. Pure.
 */
export function findUnstatedValue(
  name: string,
  tool: Pick<Tool, 'input'>,
  input: unknown,
  { typed, pressed }: OwnWords,
): string | null {
  const [first = name, second = first] = name.split('_');
  const verb = SAID[first] ?? escape(first === 'trigger' ? second : first); // people say “deploy”, and nobody says “trigger”
  const begin = new RegExp(`^\\s*(?:please\\s+)?${verb}(?![\\p{L}\\p{N}_-])`, 'iu');
  const orders = typed.map(withoutQuotations).filter((text) => begin.test(text));
  const values = fieldsOf(input)
    .filter(([field, value]) => !isDefault(tool, input, field, value))
    .flatMap(([, value]) => leavesOf(value));
  const missing = orders.map(
    (order) => values.find((value) => !isTyped(value, order) && !pressed.includes(value)) ?? null,
  );
  if (missing.includes(null)) return null;
  return missing[0] ?? name.replaceAll('_', ' ');
}

/** Spellings of tool names that people write as two words. */
const SAID: Readonly<Record<string, string>> = { rollback: 'roll ?back' };

/** Removes quoted lines and the words that introduce them. */
function withoutQuotations(text: string): string {
  const lines = text.split('\n');
  const quoted = lines.findIndex((line) => /^\s*>/.test(line));
  return lines.slice(0, quoted === -1 ? undefined : quoted).join('\n');
}

function fieldsOf(input: unknown): readonly (readonly [string, unknown])[] {
  return typeof input === 'object' && input !== null
    ? Object.entries(input).filter(([, value]) => value !== undefined)
    : [];
}

/** True when omitting the field gives the same parsed input. */
function isDefault({ input: schema }: Pick<Tool, 'input'>, input: unknown, field: string, value: unknown): boolean {
  const { [field]: _, ...rest } = input as Record<string, unknown>; // fieldsOf found the field in this object
  const parsed = schema.safeParse(rest);
  if (!parsed.success || typeof parsed.data !== 'object' || parsed.data === null) return false;
  const given: unknown = Reflect.get(parsed.data, field);
  return given !== undefined && hashCanonical(asJson(given)) === hashCanonical(asJson(value));
}

function asJson(value: unknown): Parameters<typeof hashCanonical>[0] {
  return JSON.parse(JSON.stringify(value) ?? 'null') as Parameters<typeof hashCanonical>[0]; // values are compared as JSON
}

/** Lists all values and keys of an argument, since a model chooses the keys too. */
function leavesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? ['[]'] : value.flatMap(leavesOf);
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, below]) => [key, ...leavesOf(below)]);
}

/** Names match in any case; any other value matches letter by letter. Only whole words match: `shop` is no part of `shop-2`. */
function isTyped(value: string, own: string): boolean {
  if (value.trim() === '' || value.length > own.length) return false;
  const flags = /^[\w-]+$/.test(value) ? 'iu' : 'u';
  const before = '(?<![\\p{L}\\p{N}_-]|[\\p{L}\\p{N}][./:@\\p{Pd}−])';
  const after = '(?![\\p{L}\\p{N}_-]|[./:@\\p{Pd}−][\\p{L}\\p{N}])';
  return new RegExp(`${before}${escape(value)}${after}`, flags).test(own);
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
