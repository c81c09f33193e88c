/*
 * What can hold a stranger's words is judged by value: a number, a time, a version or a commit carries no order to a model. A name does
 * when somebody else chose it: of a tag, of a branch, of a project, of a file.
 */

/** Figures and times; a version or the release made of it; a commit; words that the runtime itself gives as names. */
const WORDLESS = [
  /^[\d\s.,:%/+-]*$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
  /^v?\d+(?:\.\d+){0,3}(?:-(?:alpha|beta|rc|pre|dev)(?:[.-]?\d+)?)?(?:-[0-9a-f]{7,40})?$/,
  /^(?:sha256:)?[0-9a-f]{7,64}$/,
  /^(?:main|master|staging|production|local)$/,
];

/** Whether a text can say nothing to a model, whoever wrote it. Pure. */
export function isWordless(text: string): boolean {
  return WORDLESS.some((form) => form.test(text));
}

/** Members of a structure are named by us; what a stranger names is longer, or of other letters. */
const MEMBER = /^[a-z][a-zA-Z0-9]{0,29}$/;

/** Whether a structure holds a text that can say something and that nobody `given` here has said. Pure. */
export function holdsWords(value: unknown, given: ReadonlySet<string> = new Set()): boolean {
  if (typeof value === 'string') return !isWordless(value) && !given.has(value);
  if (Array.isArray(value)) return value.some((one) => holdsWords(one, given));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => !MEMBER.test(name) || holdsWords(member, given));
}

/** The texts of what a call was given: whoever proposed it has read them before. Pure. */
export function textsOf(value: unknown): ReadonlySet<string> {
  if (typeof value === 'string') return new Set([value]);
  if (Array.isArray(value)) return new Set(value.flatMap((one) => [...textsOf(one)]));
  if (typeof value !== 'object' || value === null) return new Set();
  return new Set(Object.values(value).flatMap((one) => [...textsOf(one)]));
}

/** Whether a person is called as people are, by one word or two: what is longer may be a sentence. Pure. */
export function isCalledShortly(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}.'’-]{0,19}(?: [\p{L}\p{N}][\p{L}\p{M}\p{N}.'’-]{0,19})?$/u.test(name);
}
