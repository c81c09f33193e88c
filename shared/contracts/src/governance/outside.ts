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
  /^(?:main|master|staging|production|local)$/,
];

/** True when a text cannot instruct a model, whoever wrote the text. Pure. */
export function isHarmlessText(text: string): boolean {
  return HARMLESS.some((form) => form.test(text));
}

/** Form of Signalbox's own property names; names by outsiders are longer or have other letters. */
const OWN_PROPERTY = /^[a-z][a-zA-Z0-9]{0,29}$/;

/** True when a value contains a text that could instruct a model and is not among the `known` texts. Pure. */
export function hasUntrustedText(value: unknown, known: ReadonlySet<string> = new Set()): boolean {
  if (typeof value === 'string') return !isHarmlessText(value) && !known.has(value);
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
