/*
 * Text from outside is judged by its form. Numbers, times, versions and commits cannot instruct a model; a name that an outsider chose
 * can: a tag, branch, project or file name.
 */

/** Forms of harmless texts: numbers and times, versions and releases, commits, and names given by the runtime. */
const HARMLESS = [
  /^[\d\s.,:%/+-]*$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
  /^v?\d+(?:\.\d+){0,3}(?:-(?:alpha|beta|rc|pre|dev)(?:[.-]?\d+)?)?(?:-[0-9a-f]{7,40})?$/,
  /^(?:sha256:)?[0-9a-f]{7,64}$/,
  /^(?:staging|production|local)$/,
  /^(?:main|master)(?:-[0-9a-f]{7})?$/,
  /^(?:instance:)?act_[0-9a-hjkmnp-tv-z]{24}_\d{1,4}$/,
];

/** True when a text cannot instruct a model, whoever wrote the text. Pure. */
export function isHarmlessText(text: string): boolean {
  return HARMLESS.some((form) => form.test(text));
}

/** Form of Signalbox's own property names; names by outsiders are longer or have other letters. */
const OWN_PROPERTY = /^[a-z][a-zA-Z0-9]{0,29}$/;

/** Matches a registered name of at most two words. A longer name may be a sentence, whoever registered it. */
const STRICT_NAME = /^[\p{L}\p{N}]{1,20}(?:[ ._'’-]{1,2}[\p{L}\p{N}]{1,20})?\.?$/u;

/** True for a registered name in its strict form, of at most two words. Pure. */
export function isStrictName(name: string): boolean {
  return STRICT_NAME.test(name);
}

/** True for a text that stands in one of the `known` texts: who wrote that text reads nothing new. Pure. */
export function isKnownText(text: string, known: ReadonlySet<string>): boolean {
  return known.has(text) || [...known].some((whole) => whole.includes(text));
}

/** True when a value contains a text that could instruct a model and stands in none of the `known` texts. Pure. */
export function hasUntrustedText(value: unknown, known: ReadonlySet<string> = new Set()): boolean {
  if (typeof value === 'string') return !isHarmlessText(value) && !isKnownText(value, known);
  if (Array.isArray(value)) return value.some((item) => hasUntrustedText(item, known));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => !OWN_PROPERTY.test(name) || hasUntrustedText(member, known));
}

/** Collects all strings inside a value, such as the arguments of a call. Pure. */
export function collectTexts(value: unknown): ReadonlySet<string> {
  if (typeof value === 'string') return new Set([value]);
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...collectTexts(item)]));
  if (typeof value !== 'object' || value === null) return new Set();
  return new Set(Object.values(value).flatMap((item) => [...collectTexts(item)]));
}

/** True for a name of at most two words; longer names may be sentences. Pure. */
export function isShortName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}.'’-]{0,19}(?: [\p{L}\p{N}][\p{L}\p{M}\p{N}.'’-]{0,19})?$/u.test(name);
}

/**
 * A text that somebody outside wrote, as a model sees it. Only the runtime makes the object around it: inside of a string it would be
 * part of the text.
 */
export interface OutsideText {
  /** The source: the name of a tool, `decision`, `job`. */
  readonly outside: string;
  /** A string, or a list or object of them. */
  readonly text: unknown;
}

/** A change's title as a model reads it. */
export interface SplitTitle {
  /** The title; of one with free values the kind of act and the registered names. */
  readonly title: string;
  /** The whole title when it may hold free values, which come in an envelope; else null. */
  readonly wording: string | null;
}

/** Puts outside text into its envelope. Pure. */
export function wrapOutside(source: string, text: unknown): OutsideText {
  return { outside: source, text };
}

export function isOutsideText(value: unknown): value is OutsideText {
  return isObject(value) && Object.keys(value).length === 2 && 'text' in value && typeof value['outside'] === 'string';
}

/** True when a value contains an envelope. Pure. */
export function hasOutside(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasOutside);
  return isOutsideText(value) || (isObject(value) && Object.values(value).some(hasOutside));
}

/** Replaces each envelope by its text, for code that reads fields. Pure. */
export function openOutside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(openOutside);
  if (isOutsideText(value)) return value.text;
  return isObject(value) ? mapObject(value, openOutside) : value;
}

/** Removes each envelope with its text: the rest comes from the runtime. Pure. */
export function dropOutside(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isOutsideText(item)).map(dropOutside);
  if (isOutsideText(value)) return null;
  return isObject(value) ? mapObject(value, dropOutside) : value;
}

/** True for an object of fields; a date is a value. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function mapObject(value: Readonly<Record<string, unknown>>, map: (member: unknown) => unknown): unknown {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member)]));
}
