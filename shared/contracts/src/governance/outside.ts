/*
 * Outside text is judged by its form: numbers, times, versions and commits cannot instruct a model, but a name chosen by an outsider can:
 * of a tag, branch, project or file.
 */

/** Numbers and times; versions and releases; commits; names given by the runtime. */
const HARMLESS = [
  /^[\d\s.,:%/+-]*$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
  /^v?\d+(?:\.\d+){0,3}(?:-(?:alpha|beta|rc|pre|dev)(?:[.-]?\d+)?)?(?:-[0-9a-f]{7,40})?$/,
  /^(?:sha256:)?[0-9a-f]{7,64}$/,
  /^(?:main|master|staging|production|local)$/,
];

/** True when a text cannot instruct a model, whoever wrote it. Pure. */
export function isHarmlessText(text: string): boolean {
  return HARMLESS.some((form) => form.test(text));
}

/** The form of our own property names; an outsider's names are longer or use other letters. */
const OWN_PROPERTY = /^[a-z][a-zA-Z0-9]{0,29}$/;

/** True when a value contains a text that could instruct a model and is not among the `known` texts. Pure. */
export function hasUntrustedText(value: unknown, known: ReadonlySet<string> = new Set()): boolean {
  if (typeof value === 'string') return !isHarmlessText(value) && !known.has(value);
  if (Array.isArray(value)) return value.some((item) => hasUntrustedText(item, known));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => !OWN_PROPERTY.test(name) || hasUntrustedText(member, known));
}

/** Collects all strings of a value, such as a call's arguments. Pure. */
export function collectTexts(value: unknown): ReadonlySet<string> {
  if (typeof value === 'string') return new Set([value]);
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...collectTexts(item)]));
  if (typeof value !== 'object' || value === null) return new Set();
  return new Set(Object.values(value).flatMap((item) => [...collectTexts(item)]));
}

/** True for a name of at most two words: longer names may be sentences. Pure. */
export function isShortName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}.'’-]{0,19}(?: [\p{L}\p{N}][\p{L}\p{M}\p{N}.'’-]{0,19})?$/u.test(name);
}
