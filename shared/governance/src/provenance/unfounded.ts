import { claimSignsOf, type Signs } from './signs.ts';

/** What is known for sure of one thing: the fields of a receipt, or of an entry that a trusted look-up gave. */
export interface Fact {
  readonly values: ReadonlySet<string>;
  /** It says of something that it did not come about. */
  readonly isFailure: boolean;
}

/** What is known for sure when a model's text is checked for claims. */
export interface Grounds {
  /** Names of things that exist, in lower case. */
  readonly names: ReadonlySet<string>;
  /** First words of commands: a line in quotes that begins with one tells the person what to type, and claims nothing. */
  readonly verbs: ReadonlySet<string>;
  readonly facts: readonly Fact[];
  /** What the model was told before, or looked up in an earlier turn: it founds what says more of a thing than its name. */
  readonly standing?: readonly Fact[];
}

/**
 * Whether a text looks like a report of what no receipt and no trusted look-up says: by its signs, in any language. A question
 * reports nothing, unless its paragraph goes on after it. Pure.
 */
export function isUnfounded(text: string, { names, verbs, facts: found, standing = [] }: Grounds): boolean {
  const signs = claimSignsOf(text, names, verbs).filter(({ isQuestion }) => !isQuestion);
  const whole = joined(signs);
  // Two versions beside each other and nothing else compare something that is not ours.
  if (whole.names.length === 0 && new Set(whole.versions).size > 1 && !whole.hasMark && whole.places.length === 0)
    return false;
  const facts = saysMore(signs, standing) ? [...found, ...standing] : found;
  const told = whole.names.length > 0 ? [{ ...whole, versions: [], ids: [] }, ...signs] : signs;
  return told.some((one) => !isFounded(one, whole, facts));
}

/** Whether signs say of a thing what can be measured. That it is there is known of each thing that a text could be about. */
function saysMore(signs: readonly Signs[], standing: readonly Fact[]): boolean {
  const names = signs.flatMap((one) => one.names);
  const isKnownAs = (state: string): boolean =>
    standing.some(({ values }) => values.has(state) && names.some((name) => values.has(name)));
  return (
    names.length === 0 ||
    signs.some(({ versions, ids, states }) => versions.length + ids.length > 0 || states.some(isKnownAs))
  );
}

function joined(signs: readonly Signs[]): Omit<Signs, 'ids' | 'states' | 'isQuestion'> {
  return {
    names: signs.flatMap((one) => one.names),
    places: signs.flatMap((one) => one.places),
    versions: signs.flatMap((one) => one.versions),
    hasMark: signs.some((one) => one.hasMark),
  };
}

function isFounded(
  signs: Omit<Signs, 'states' | 'isQuestion'>,
  whole: Pick<Signs, 'places'>,
  facts: readonly Fact[],
): boolean {
  const { names, places, versions, ids, hasMark } = signs;
  if (names.length + versions.length + ids.length === 0) return !hasMark || facts.some(({ isFailure }) => !isFailure);
  const about = facts.filter(
    ({ values, isFailure }) =>
      (names.length === 0 || names.some((name) => values.has(name))) &&
      isThere(values, whole.places) &&
      !(hasMark && isFailure),
  );
  return (
    names.every((name) => about.some(({ values }) => values.has(name))) &&
    places.every((place) => about.some(({ values }) => values.has(place) || !hasPlace(values))) &&
    ids.every((id) => facts.some(({ values }) => [...values].some((value) => value.includes(id)))) &&
    versions.every((version) => about.some(({ values }) => [...values].some((value) => isVersion(value, version))))
  );
}

/** A text that does not say where is read as one about production: what happened in staging founds only what says so. */
function isThere(values: ReadonlySet<string>, places: readonly string[]): boolean {
  if (!hasPlace(values)) return true;
  return places.length === 0 ? values.has('production') : places.some((place) => values.has(place));
}

function hasPlace(values: ReadonlySet<string>): boolean {
  return values.has('staging') || values.has('production');
}

/** The version itself, or a release that was made of it. */
function isVersion(value: string, version: string): boolean {
  const bare = value.replace(/^v/, '');
  return bare === version || bare.startsWith(`${version}-`);
}

/** Longer strings are texts, and no fields. */
const FIELD = /^[\p{L}\p{N}][\p{L}\p{N}_.:+@/-]{0,79}$/u;

/** The facts of a structure: each object with what stands around it. Only what is short and without blanks counts. */
export function factsOf(structure: unknown, isFailure = false, around: readonly string[] = []): readonly Fact[] {
  if (Array.isArray(structure)) return structure.flatMap((one) => factsOf(one, isFailure, around));
  if (typeof structure !== 'object' || structure === null) {
    const values = [...around, ...fieldOf(structure)];
    return values.length === 0 ? [] : [{ values: new Set(values), isFailure }];
  }
  const members = Object.values(structure);
  const said = members.flatMap(fieldOf);
  const own = [...around, ...said];
  const isBad = isFailure || said.some((value) => BAD_STATES.has(value));
  const inner = members.filter((member) => typeof member === 'object' && member !== null);
  return [{ values: new Set(own), isFailure: isBad }, ...inner.flatMap((member) => factsOf(member, isBad, own))];
}

/** A look-up that finds one of these backs no check mark. */
const BAD_STATES: ReadonlySet<string> = new Set([
  'failed',
  'cancelled',
  'rolled_back',
  'down',
  'degraded',
  'nothing-deployed',
]);

function fieldOf(value: unknown): readonly string[] {
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'string' && FIELD.test(value) ? [value.toLowerCase()] : [];
}

/** What a turn came to, as far as a line below its text depends on it. */
export interface Account {
  /** Effects of this turn: any at all. */
  readonly hasChanged: boolean;
  /** A change was asked for and came to nothing: it waits for somebody, or was refused or failed. */
  readonly asked: 'nothing' | 'waiting' | 'refused';
  readonly grounds: Grounds;
}

/**
 * Which line the runtime puts below the texts of a turn: that nothing was changed, nothing yet, nothing else; null for none. What waits for
 * somebody has its card, which says so. Pure.
 */
export function createLineBelow(
  texts: readonly string[],
  { hasChanged, asked, grounds }: Account,
): 'nothing' | 'yet' | 'else' | null {
  if (!hasChanged && asked === 'refused') return 'nothing';
  if (!texts.some((text) => isUnfounded(text, grounds))) return null;
  if (hasChanged) return 'else';
  return asked === 'waiting' ? 'yet' : 'nothing';
}

const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** Names of things in the arguments of a call: it made them known, whether they exist already or not. */
export function namesIn(args: unknown): readonly string[] {
  const { name, project, server } = (args ?? {}) as Readonly<Record<string, unknown>>; // missing members are undefined
  return [name, project, server].filter((one) => typeof one === 'string').filter((one) => NAME.test(one));
}
