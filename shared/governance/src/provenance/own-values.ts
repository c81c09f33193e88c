import { z } from 'zod';
import { isVersionArgument, toMadeValue, toMadeVersion } from '@signalbox/contracts/governance/field-key';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { Tool } from '../calls/tool.ts';
import { isTypedAmount } from './amounts.ts';

/** What a value of a call may be instead of a text from outside. */
export interface ValueSources {
  /** Texts that the person typed or pressed. */
  readonly said: readonly string[];
  /** Registered names and looked-up values, and values that the runtime made (see `toMadeValue` and `toMadeVersion`). */
  readonly made: ReadonlySet<string>;
}

/** What a variable that switches something is set to: no stranger's text, when the person typed the name of the variable. */
const SWITCHES: ReadonlySet<string> = new Set(['true', 'false', 'on', 'off']);
/** How people write that a variable is empty. */
const NOTHING = /(?<!\S)(?:""|''|“”|„“|«»)(?!\S)/u;

/**
 * Finds the first value of a call that may come from outside: it is no default, no enum, no switch, nothing that the runtime made, and the
 * person did not say it. Null when there is no such value. Pure.
 */
export function findForeignValue(tool: Pick<Tool, 'input'>, input: unknown, sources: ValueSources): string | null {
  const { said, made } = sources;
  const fields = fieldsOf(input);
  const textOf = (field: string): string => String(new Map(fields).get(field) ?? '');
  const project = textOf('project');
  const isSaid = (forms: readonly string[]): boolean => said.some((own) => forms.some((form) => isWithin(form, own)));
  const isOwn = (field: string, value: string | number | boolean): boolean => {
    // `./shop` names the folder shop of the installation.
    const text = field === 'repository' ? String(value).replace(/^\.\//, '') : String(value);
    const isVersion = isVersionArgument(field);
    const isMade = made.has(text) || made.has(toMadeValue(field, text));
    if (typeof value === 'boolean' || isMade || isTypedAmount(field, text, said)) return true;
    if (isVersion && made.has(toMadeVersion(project, text))) return true;
    if (field === 'value' && text === '') return isSaid([textOf('name')]) && said.some((own) => NOTHING.test(own));
    if (field === 'value' && SWITCHES.has(text.toLowerCase()) && isSaid([textOf('name')])) return true;
    return isSaid(isVersion ? listVersionForms(text) : listForms(text));
  };
  const values = fields
    .filter(([field, value]) => !isDefault(tool, input, field, value) && !isEnum(tool, field))
    .flatMap(([field, value]) => leavesOf(value).map((leaf) => [field, leaf] as const));
  const foreign = values.find(([field, leaf]) => !isOwn(field, leaf));
  return foreign === undefined ? null : String(foreign[1]);
}

function fieldsOf(input: unknown): readonly (readonly [string, unknown])[] {
  return typeof input === 'object' && input !== null
    ? Object.entries(input).filter(([, value]) => value !== undefined)
    : [];
}

/** True for an argument whose values the tool itself lists. */
export function isEnum({ input }: Pick<Tool, 'input'>, field: string): boolean {
  let schema: unknown = input instanceof z.ZodObject ? input.shape[field] : undefined;
  while (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    schema = schema.unwrap();
  return schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral;
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
function leavesOf(value: unknown): readonly (string | number | boolean)[] {
  if (Array.isArray(value)) return value.length === 0 ? ['[]'] : value.flatMap(leavesOf);
  if (typeof value === 'number' || typeof value === 'boolean') return [value];
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, below]) => [key, ...leavesOf(below)]);
}

/**
 * Lists the forms of a value in a person's words. Of a sentence a model writes the first letter large and adds a full stop, and of a file
 * the last line break: that makes no other value.
 */
function listForms(value: string): readonly string[] {
  const bare = value.trim();
  if (!/^\p{Lu}.*\s/su.test(bare)) return [value, bare];
  return [value, bare, bare.replace(/(?<=[\p{L}\p{N}])[.。]$/u, '')].flatMap((form) => [
    form,
    form.charAt(0).toLowerCase() + form.slice(1),
  ]);
}

/** People omit or add the `v` of a version. */
function listVersionForms(version: string): readonly string[] {
  if (!/^v?\d/.test(version)) return [version];
  const bare = version.replace(/^v/, '');
  return [bare, `v${bare}`];
}

/**
 * Names match in any case, and as a part of a path that was typed; any other value matches letter by letter. Only whole words match: `shop`
 * is no part of `shop-2`.
 */
function isWithin(value: string, text: string): boolean {
  if (value.trim() === '' || value.length > text.length) return false;
  const isName = /^[\w-]+$/.test(value);
  const joints = isName ? '.:@\\p{Pd}−' : './:@\\p{Pd}−';
  const before = `(?<![\\p{L}\\p{N}_-]|[\\p{L}\\p{N}][${joints}])`;
  const after = `(?![\\p{L}\\p{N}_-]|${isName ? '(?!\\.git\\b)' : ''}[${joints}][\\p{L}\\p{N}])`;
  return new RegExp(`${before}${escape(value)}${after}`, isName ? 'iu' : 'u').test(text);
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
