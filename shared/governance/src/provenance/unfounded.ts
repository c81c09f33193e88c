import { findClaimSigns, type ClaimSigns } from './signs.ts';

/** Certain facts about one entity: the fields of a receipt, or of an entry of a trusted look-up. */
export interface EntityFact {
  readonly values: ReadonlySet<string>;
  /** True when the fact says that something failed. */
  readonly isFailure: boolean;
}

/** The certain facts against which a model's text is checked for claims. */
export interface ClaimGrounds {
  /** Names of existing entities, in lower case. */
  readonly names: ReadonlySet<string>;
  /** First words of commands: a quoted line that begins with such a word tells the person what to type, and is no claim. */
  readonly verbs: ReadonlySet<string>;
  readonly facts: readonly EntityFact[];
  /** Facts from the prompt or from look-ups of earlier turns, which support more than an entity's existence. */
  readonly standing?: readonly EntityFact[];
}

/** True when a text looks like a report, in any language, that no receipt and no trusted look-up supports. Pure. */
export function isUnfounded(text: string, { names, verbs, facts: found, standing = [] }: ClaimGrounds): boolean {
  const signs = findClaimSigns(text, names, verbs).filter(({ isQuestion }) => !isQuestion);
  const whole = joined(signs);
  // Two versions without any other sign compare third-party software.
  if (whole.names.length === 0 && new Set(whole.versions).size > 1 && !whole.hasMark && whole.places.length === 0)
    return false;
  const facts = saysMore(signs, standing) ? [...found, ...standing] : found;
  const told = whole.names.length > 0 ? [{ ...whole, versions: [], ids: [] }, ...signs] : signs;
  return told.some((one) => !isFounded(one, whole, facts));
}

/** True when signs state more than the existence of an entity, such as a version or a state. */
function saysMore(signs: readonly ClaimSigns[], standing: readonly EntityFact[]): boolean {
  const names = signs.flatMap((one) => one.names);
  const isKnownAs = (state: string): boolean =>
    standing.some(({ values }) => values.has(state) && names.some((name) => values.has(name)));
  return (
    names.length === 0 ||
    signs.some(({ versions, ids, states }) => versions.length + ids.length > 0 || states.some(isKnownAs))
  );
}

function joined(signs: readonly ClaimSigns[]): Omit<ClaimSigns, 'ids' | 'states' | 'isQuestion'> {
  return {
    names: signs.flatMap((one) => one.names),
    places: signs.flatMap((one) => one.places),
    versions: signs.flatMap((one) => one.versions),
    hasMark: signs.some((one) => one.hasMark),
  };
}

function isFounded(
  signs: Omit<ClaimSigns, 'states' | 'isQuestion'>,
  whole: Pick<ClaimSigns, 'places'>,
  facts: readonly EntityFact[],
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

/** A text without an environment is read as a text about production: an event in staging supports only texts that mention staging. */
function isThere(values: ReadonlySet<string>, places: readonly string[]): boolean {
  if (!hasPlace(values)) return true;
  return places.length === 0 ? values.has('production') : places.some((place) => values.has(place));
}

function hasPlace(values: ReadonlySet<string>): boolean {
  return values.has('staging') || values.has('production');
}

/** True for the version itself, or a release made from it. */
function isVersion(value: string, version: string): boolean {
  const bare = value.replace(/^v/, '');
  return bare === version || bare.startsWith(`${version}-`);
}

/** Matches a short value of a field; longer strings are prose. */
const FIELD = /^[\p{L}\p{N}][\p{L}\p{N}_.:+@/-]{0,79}$/u;

/** Lists the facts of a structure: each object together with its parents' fields. Only short values without spaces count. */
export function listEntityFacts(
  structure: unknown,
  isFailure = false,
  around: readonly string[] = [],
): readonly EntityFact[] {
  if (Array.isArray(structure)) return structure.flatMap((one) => listEntityFacts(one, isFailure, around));
  if (typeof structure !== 'object' || structure === null) {
    const values = [...around, ...fieldOf(structure)];
    return values.length === 0 ? [] : [{ values: new Set(values), isFailure }];
  }
  const members = Object.values(structure);
  const said = members.flatMap(fieldOf);
  const own = [...around, ...said];
  const isBad = isFailure || said.some((value) => BAD_STATES.has(value));
  const inner = members.filter((member) => typeof member === 'object' && member !== null);
  return [
    { values: new Set(own), isFailure: isBad },
    ...inner.flatMap((member) => listEntityFacts(member, isBad, own)),
  ];
}

/** States of a look-up that support no check mark. */
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

/** A turn's results that determine the line below its text. */
export interface StatusLineInput {
  /** True when this turn had any effect. */
  readonly hasChanged: boolean;
  /** The state of a requested change without effect: it waits for a decision, or was refused or failed. */
  readonly asked: 'nothing' | 'waiting' | 'refused';
  readonly grounds: ClaimGrounds;
}

/** Chooses the line below a turn's texts: nothing was changed, nothing yet, nothing else; null for no line. Pure. */
export function chooseStatusLine(
  texts: readonly string[],
  { hasChanged, asked, grounds }: StatusLineInput,
): 'nothing' | 'yet' | 'else' | null {
  if (!hasChanged && asked === 'refused') return 'nothing';
  if (!texts.some((text) => isUnfounded(text, grounds))) return null;
  if (hasChanged) return 'else';
  return asked === 'waiting' ? 'yet' : 'nothing';
}

const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** Lists names of existing or new entities in the arguments of a call. */
export function listArgumentNames(args: unknown): readonly string[] {
  const { name, project, server } = (args ?? {}) as Readonly<Record<string, unknown>>; // missing members of the arguments are undefined
  return [name, project, server].filter((one) => typeof one === 'string').filter((one) => NAME.test(one));
}
