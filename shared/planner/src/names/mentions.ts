import type { TextValue } from '../text/values.ts';
import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import { toBareName, findClosest } from './spelling.ts';
import { type Token, EFFECTS, hasSense, isFiller, means, stem, tokenize, wordSet } from '../text/tokens.ts';

/** A name such as web-1 may be written in this many words. */
const MAX_WORDS = 3;

/** A known name that a text speaks of. */
export interface Mention {
  readonly kind: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

type Known = Pick<RequestFacts, 'known'>;
/** Names by kind: those that are known now, and those that a schema lists in full. */
export type KnownNames = Readonly<Record<string, readonly string[]>>;

/** What the tools speak of: names of kinds that are a closed set, and words that are never a misspelled name. */
export interface Language {
  readonly closed: KnownNames;
  readonly words: ReadonlySet<string>;
}

/** What was found in a text, for as long as somebody holds the names: every tool asks for the same ones. */
const remembered = new WeakMap<KnownNames, { readonly language: Language; readonly found: Map<string, Mention[]> }>();

/**
 * Finds known names: exact ones first, then those in other words (mobile app) and mistyped ones; no two of one kind
 * overlap. Everyday words and words of the thesaurus are taken for a name only where a name stands.
 */
export function findMentions(text: string, { known }: Known, language: Language): readonly Mention[] {
  const before = remembered.get(known);
  const memory = before?.language === language ? before : { language, found: new Map<string, Mention[]>() };
  remembered.set(known, memory);
  const found = memory.found.get(text) ?? findIn(text, known, language);
  memory.found.set(text, found);
  return found;
}

/** Known names of a kind; none for a kind that nobody listed. */
export function listKnownNames(facts: Known, kind: string | null): readonly string[] {
  return kind !== null && Object.hasOwn(facts.known, kind) ? (facts.known[kind] ?? []) : [];
}

function findIn(text: string, known: KnownNames, { closed, words }: Language): Mention[] {
  const kinds = Object.entries({ ...closed, ...known });
  const isOurs = (word: string): boolean => isWord(word) || words.has(word);
  const tokens = tokenize(text).map(withoutPossessive);
  const found: Mention[] = [];
  const take = (kind: string, name: string, { start, end }: Pick<Token, 'start' | 'end'>): void => {
    // One word can name two things: a server and an environment may both be called local.
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
  // Several words together must be the name but for its separators; only a single word may be mistyped.
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

/** Two or three words in a row, as one without separators. */
function runsOf(tokens: readonly Token[], text: string) {
  return tokens.flatMap((first, at) =>
    tokens
      .slice(at + 1, at + MAX_WORDS)
      .map(({ end }) => ({ start: first.start, end, written: toBareName(text.slice(first.start, end)) })),
  );
}

/** Whether a word means something by itself, whatever is called like it. */
export function isWord(word: string): boolean {
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

/** Whether a word that also means something else stands where a name stands: "how is deploy doing", "archive help". */
function standsAsName(tokens: readonly Token[], at: number, text: string, kind: string): boolean {
  const [before, after] = [tokens[at - 1]?.lower ?? '', tokens[at + 1]?.lower ?? ''];
  const { start, end } = tokens[at] ?? { start: 0, end: 0 };
  if (/["'`]/.test(text[start - 1] ?? '') && /["'`]/.test(text[end] ?? '')) return true;
  if (after === kind || before === kind) return true;
  if (DETERMINERS.has(before) || /^\d+$/.test(after) || after === 'of') return false;
  if (PREPOSITIONS.has(before) || BEFORE_STATES.has(before)) return true;
  if (before === '') return AFTER_NAMES.has(after) || /^v?\d+\.\d/.test(after) || tokens.length === 1;
  return after !== 'for' && means(before, EFFECTS);
}

function withoutPossessive(token: Token): Token {
  if (!token.lower.endsWith("'s")) return token;
  return { lower: token.lower.slice(0, -2), start: token.start, end: token.end - 2 };
}

/** Beside which words the name of a thing of a kind stands: "on web-9", "the shop project". */
const POSITIONS: Readonly<
  Record<string, { readonly after: ReadonlySet<string>; readonly before: ReadonlySet<string> }>
> = {
  server: { after: wordSet('on at server machine host box'), before: wordSet('server machine box') },
  project: { after: wordSet('of for about project app give archive deploy stop mute'), before: wordSet('project app') },
};
/** Words where the name of a thing of that kind stands, but that nobody knows. `known` are the words that tools are asked for with. */
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
      if (/^v?\d[\d.]*$/.test(lower) || isWord(lower)) return false;
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

/** What people call the values that a schema names in full. A value is only meant where an argument takes it. */
const VALUE_WORDS: Readonly<Record<string, string>> = {
  production: 'prod prd productive',
  staging: 'stage stg stag preprod pre-prod pre-production uat',
  local: 'localhost dev development locally',
  archived:
    'archive archives shelve shelved retire retired sunset mothball archival dead closed close discontinued obsolete',
  active: 'reactivate reactivated activate activated revive revived unarchive unarchived resume',
  intended: 'planned planning draft',
};

/** Word → the values that it may stand for. */
const VALUE_ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(VALUE_WORDS).flatMap(([value, words]) => words.split(' ').map((word) => [word, [value]] as const)),
);

/** Whether a word says this value: archive, archived and Archived are one choice; so are prod and production. */
export function isSameChoice(word: string, choice: string): boolean {
  const value = choice.toLowerCase();
  return word === value || (VALUE_ALIASES.get(word) ?? []).includes(value) || stem(word) === stem(value);
}
