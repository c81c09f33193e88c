import type { TextValue } from '../text/values.ts';
import type { ModelRequestFacts } from '@signalbox/contracts/tool-catalog';
import { toBareName, findClosest } from './spelling.ts';
import { type Token, EFFECTS, hasSense, isFiller, hasMeaning, stem, tokenize, wordSet } from '../text/tokens.ts';

/** Maximum number of words that form one name, as "web 1" forms web-1. */
const MAX_WORDS = 3;

/** A known name that occurs in a text. */
export interface Mention {
  readonly kind: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

type Known = Pick<ModelRequestFacts, 'known'>;
/** Names by entity: known names, and values that a schema lists in full. */
export type KnownNames = Readonly<Record<string, readonly string[]>>;

/** Vocabulary of the tools: values of closed sets, and words that never count as mistyped names. */
export interface ToolVocabulary {
  readonly closed: KnownNames;
  readonly words: ReadonlySet<string>;
}

/** Caches the mentions of a text, because every tool needs the same ones. */
const remembered = new WeakMap<
  KnownNames,
  { readonly language: ToolVocabulary; readonly found: Map<string, Mention[]> }
>();

/**
 * Finds known names in a text: exact names first, then split ("mobile app") and mistyped names. Everyday words count only where a name
 * can stand.
 */
export function findMentions(text: string, { known }: Known, language: ToolVocabulary): readonly Mention[] {
  const before = remembered.get(known);
  const memory = before?.language === language ? before : { language, found: new Map<string, Mention[]>() };
  remembered.set(known, memory);
  const found = memory.found.get(text) ?? findIn(text, known, language);
  memory.found.set(text, found);
  return found;
}

/** Lists the known names of an entity. */
export function listKnownNames(facts: Known, kind: string | null): readonly string[] {
  return kind !== null && Object.hasOwn(facts.known, kind) ? (facts.known[kind] ?? []) : [];
}

function findIn(text: string, known: KnownNames, { closed, words }: ToolVocabulary): Mention[] {
  const kinds = Object.entries({ ...closed, ...known });
  const isOurs = (word: string): boolean => isCommonWord(word) || words.has(word);
  const tokens = tokenize(text).map(withoutPossessive);
  const found: Mention[] = [];
  const take = (kind: string, name: string, { start, end }: Pick<Token, 'start' | 'end'>): void => {
    // One word can name two entities, such as a server and an environment called local.
    const isFree = found.every(
      (other) =>
        end <= other.start || start >= other.end || (other.start === start && other.end === end && other.kind !== kind),
    );
    if (isFree) found.push({ kind, name, start, end });
  };
  for (const [at, token] of tokens.entries())
    for (const [kind, names] of kinds) {
      const name = names.find((one) => one.toLowerCase() === token.lower);
      const alias = VALUE_ALIASES.get(token.lower)?.find((value) => names.includes(value));
      const stands = Object.hasOwn(closed, kind) || !isOurs(token.lower) || standsAsName(tokens, at, text, kind);
      if (name !== undefined && stands) take(kind, name, token);
      else if (name === undefined && alias !== undefined) take(kind, alias, token);
    }
  // Several words must equal the name without separators; only a single word may be mistyped.
  for (const [kind, names] of kinds) {
    const parted = names
      .filter((name) => /[^\p{L}\p{N}]/u.test(name))
      .map((name) => ({ name, bare: toBareName(name) }));
    for (const run of parted.length > 0 ? runsOf(tokens, text) : []) {
      const [only, ...more] = parted.filter(({ bare }) => bare === run.written);
      if (only && more.length === 0) take(kind, only.name, run);
    }
  }
  for (const token of tokens) {
    if (token.lower.length < 2 || isOurs(token.lower) || found.some(({ start }) => start === token.start)) continue;
    for (const [kind, names] of kinds) {
      const near = findClosest(token.lower, names);
      if (near !== null) take(kind, near, token);
    }
  }
  return found.sort((left, right) => left.start - right.start);
}

/** Joins two or three consecutive words without separators. */
function runsOf(tokens: readonly Token[], text: string) {
  return tokens.flatMap((first, at) =>
    tokens
      .slice(at + 1, at + MAX_WORDS)
      .map(({ end }) => ({ start: first.start, end, written: toBareName(text.slice(first.start, end)) })),
  );
}

/** True for an everyday word, which usually does not mean an entity of that name. */
export function isCommonWord(word: string): boolean {
  return isFiller(word) || hasSense(word);
}

const DETERMINERS = wordSet(
  'a an this my our your last latest running current next free any which what new another some all no first every more',
);
const PREPOSITIONS = wordSet(
  'own owns back of for about on with from at in called named project app application service give gives tell show archive stop mute',
);
const BEFORE_STATES = wordSet("is are does has did was do if how's what's whats hows the");
const AFTER_NAMES = wordSet('project app application has needs wants should is');

/** True when an everyday word is used as a name, as in "how is deploy doing". */
function standsAsName(tokens: readonly Token[], at: number, text: string, kind: string): boolean {
  const [before, after] = [tokens[at - 1]?.lower ?? '', tokens[at + 1]?.lower ?? ''];
  const { start, end } = tokens[at] ?? { start: 0, end: 0 };
  if (/["'`]/.test(text[start - 1] ?? '') && /["'`]/.test(text[end] ?? '')) return true;
  if (after === kind || before === kind) return true;
  if (DETERMINERS.has(before) || /^\d+$/.test(after) || after === 'of') return false;
  if (PREPOSITIONS.has(before) || BEFORE_STATES.has(before)) return true;
  if (before === '') return AFTER_NAMES.has(after) || /^v?\d+\.\d/.test(after) || tokens.length === 1;
  return after !== 'for' && hasMeaning(before, EFFECTS);
}

function withoutPossessive(token: Token): Token {
  if (!token.lower.endsWith("'s")) return token;
  return { lower: token.lower.slice(0, -2), start: token.start, end: token.end - 2 };
}

/** Words beside which a name stands, by entity, as in "on web-9" or "the shop project". */
const POSITIONS: Readonly<
  Record<string, { readonly after: ReadonlySet<string>; readonly before: ReadonlySet<string> }>
> = {
  server: { after: wordSet('on at server machine host box'), before: wordSet('server machine box') },
  project: { after: wordSet('of for about project app give archive deploy stop mute'), before: wordSet('project app') },
};
/** Finds unknown words in positions where a name of the entity stands. `known`: words in the hints of the tools. */
export function findUnknownNames(
  text: string,
  kind: string,
  mentions: readonly Mention[],
  known: ReadonlySet<string>,
): readonly TextValue[] {
  const positions = POSITIONS[kind];
  if (!positions) return [];
  const tokens = tokenize(text);
  return tokens
    .filter(({ lower, start, end }, at) => {
      if (known.has(lower) || mentions.some((mention) => start < mention.end && end > mention.start)) return false;
      if (/^v?\d[\d.]*$/.test(lower) || isCommonWord(lower)) return false;
      const [before = '', further = ''] = [tokens[at - 1]?.lower, tokens[at - 2]?.lower];
      const article = before === 'the' ? further : before;
      const isAfter = positions.after.has(article);
      return (
        isAfter ||
        positions.before.has(tokens[at + 1]?.lower ?? '') ||
        (/\d/.test(lower) && /^[a-z]+-?\d+$/.test(lower) && kind === 'server')
      );
    })
    .map(({ start, end }) => ({ value: text.slice(start, end), start, end }));
}

/** Synonyms of schema values. A synonym counts only where an argument takes the value. */
const VALUE_WORDS: Readonly<Record<string, string>> = {
  production: 'prod prd productive',
  staging: 'stage stg stag preprod pre-prod pre-production uat',
  local: 'localhost dev development locally',
  archived:
    'archive archives shelve shelved retire retired sunset mothball archival dead closed close discontinued obsolete',
  active: 'reactivate reactivated activate activated revive revived unarchive unarchived resume',
  intended: 'planned planning draft',
};

/** Schema values by synonym. */
const VALUE_ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(VALUE_WORDS).flatMap(([value, words]) => words.split(' ').map((word) => [word, [value]] as const)),
);

/** True when a word means a choice: archive and archived are equal, and so are prod and production. */
export function isSameChoice(word: string, choice: string): boolean {
  const value = choice.toLowerCase();
  return word === value || (VALUE_ALIASES.get(word) ?? []).includes(value) || stem(word) === stem(value);
}
