import { listMadeVersions, toMadeValue, toMadeVersion } from '@signalbox/contracts/governance/field-key';
import {
  hasOutside,
  hasUntrustedText,
  isHarmlessText,
  isKnownText,
  isOutsideText,
  isStrictName,
  openOutside,
  wrapOutside,
} from '@signalbox/contracts/governance/outside';

/**
 * Where the content of a field comes from. `runtime`: numbers, times, states, ids and addresses that the runtime made. `name`: a
 * registered name, which counts only in its strict form. `ref`: a version or tag in our own records, which the author of the commit named.
 * `asked`: a version that somebody asked for, which a model may have taken from outside. `manual`: the product's own documentation.
 * `sentence`: a sentence of the runtime that quotes no text but that of other fields beside it; it has an envelope when one of them has.
 * `outside`: everything else, such as descriptions, commands, log lines, file names and texts of other people.
 */
export type Origin = 'runtime' | 'name' | 'ref' | 'asked' | 'manual' | 'sentence' | 'outside';

/**
 * The declaration of a result's fields: a field without an origin does not compile. Any part may be `outside` as a whole. A part without
 * free text (numbers, booleans, enums) may be `runtime` as a whole.
 */
export type OriginsOf<O> = [O] extends [never]
  ? Origin
  : unknown extends O
    ? 'outside'
    : IsFixed<O> extends true
      ? 'runtime' | 'outside'
      : 'outside' | TextOrigin<NonNullable<O>> | ListOrigins<NonNullable<O>> | FieldOrigins<NonNullable<O>>;

/** True for a type without free text. */
type IsFixed<T> = [T] extends [number | boolean | null | undefined | Date]
  ? true
  : string extends T
    ? false
    : [T] extends [string | number | boolean | null | undefined | Date]
      ? true
      : [T] extends [readonly (infer E)[] | null | undefined]
        ? IsFixed<E>
        : HasOnlyFixed<Exclude<T, null | undefined>>;
type HasOnlyFixed<T> =
  string extends KeysOf<T>
    ? false
    : [{ [K in KeysOf<T>]: IsFixed<FieldOf<T, K>> }[KeysOf<T>]] extends [true]
      ? true
      : false;

type TextOrigin<T> = string extends T ? Origin : string extends Extract<T, string> ? Origin : never;
type ListOrigins<T> = [Extract<T, readonly unknown[]>] extends [never]
  ? never
  : OriginsOf<Extract<T, readonly unknown[]>[number]>;
type Objects<T> = Exclude<Extract<T, object>, readonly unknown[]>;
type FieldOrigins<T> = [Objects<T>] extends [never]
  ? never
  : string extends KeysOf<Objects<T>>
    ? never
    : { readonly [K in KeysOf<Objects<T>>]-?: OriginsOf<FieldOf<Objects<T>, K>> };
/** The fields of all members of a union. */
type KeysOf<T> = T extends unknown ? keyof T : never;
type FieldOf<T, K> = T extends unknown ? (K extends keyof T ? Exclude<T[K], undefined> : never) : never;

/** The declaration as the runtime reads it. */
export type Origins = Origin | { readonly [field: string]: Origins };

/**
 * Puts what came from outside into envelopes. A text that cannot instruct anybody, such as a version, stays as it is; so does a text that
 * the model knows already. `known`: texts of the call's own arguments. Pure.
 */
export function wrapOutsideFields(
  value: unknown,
  origins: Origins,
  source: string,
  known: ReadonlySet<string>,
): unknown {
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') return value;
  if (origins === 'outside') return hasUntrustedText(value, known) ? wrapOutside(source, value) : value;
  if (Array.isArray(value)) return value.map((item) => wrapOutsideFields(item, origins, source, known));
  if (typeof value === 'string') return isFine(value, origins, known) ? value : wrapOutside(source, value);
  if (typeof origins === 'string') return value;
  const wrap = (name: string, member: unknown) => wrapOutsideFields(member, origins[name] ?? 'outside', source, known);
  const entries = Object.entries(value);
  const others = entries.filter(([name]) => origins[name] !== 'sentence').map(([name, member]) => wrap(name, member));
  const isBare = (name: string): boolean => origins[name] === 'sentence' && !hasOutside(others);
  return Object.fromEntries(entries.map(([name, member]) => [name, isBare(name) ? member : wrap(name, member)]));
}

function isFine(text: string, origins: Origins, known: ReadonlySet<string>): boolean {
  if (origins === 'runtime' || origins === 'manual') return true;
  if (isHarmlessText(text) || (origins === 'name' && isStrictName(text))) return true;
  // A version in the arguments may be the newest that the runtime looked up, which the model never read.
  return !isRef(origins) && isKnownText(text, known);
}

function isRef(origins: Origins): boolean {
  return origins === 'ref' || origins === 'asked';
}

/** Picks the fields of an enclosed result that back a model's statements: all but those from outside. Null when nothing is left. Pure. */
export function pickEvidence(value: unknown, origins: Origins): unknown {
  if (origins === 'outside') return null;
  if (Array.isArray(value)) return value.map((item) => pickEvidence(item, origins));
  if (isRef(origins)) return openOutside(value);
  // Somebody may have the name `9.9.9`, which backs no claim about a version.
  if (origins === 'name' && typeof value === 'string' && /^v?\d/.test(value)) return null;
  if (typeof value !== 'object' || value === null || isOutsideText(value)) return isOutsideText(value) ? null : value;
  if (typeof origins === 'string') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const origin = origins[name] ?? 'outside';
      return origin === 'outside' || origin === 'sentence' ? [] : [[name, pickEvidence(member, origin)]];
    }),
  );
}

/** The most values of one result that later calls may use. */
const MAX_MADE = 200;
const MAX_MADE_LENGTH = 80;

/**
 * Lists the values of a result that the runtime made or registered, as `field=value`. A version counts for its project, and only in the
 * form of a version. What the call itself gave is left out: its model may have taken it from outside. Pure.
 */
export function listMadeValues(
  value: unknown,
  origins: Origins,
  given: ReadonlySet<string>,
  { field = '', project = null }: { readonly field?: string; readonly project?: string | null } = {},
): readonly string[] {
  if (origins === 'outside' || origins === 'manual' || origins === 'asked' || origins === 'sentence') return [];
  if (Array.isArray(value))
    return value.flatMap((item) => listMadeValues(item, origins, given, { field, project })).slice(0, MAX_MADE);
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    if (text.length > MAX_MADE_LENGTH || given.has(text)) return [];
    if (origins === 'ref') {
      if (project === null) return [];
      const echoed = new Set([...given].map((one) => toMadeVersion(project, one)));
      return listMadeVersions(project, text).filter((one) => !echoed.has(one));
    }
    return origins !== 'name' || isStrictName(text) ? [toMadeValue(field, text)] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const members = new Map<string, unknown>(Object.entries(value));
  const named = members.get('project');
  const about = typeof named === 'string' ? named : project;
  return [...members]
    .flatMap(([name, member]) =>
      listMadeValues(member, typeof origins === 'string' ? origins : (origins[name] ?? 'outside'), given, {
        field: name,
        project: about,
      }),
    )
    .slice(0, MAX_MADE);
}
