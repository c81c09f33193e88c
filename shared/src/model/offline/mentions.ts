import type { PlannerFacts } from './catalog.ts';
import { bareName, closest } from './spelling.ts';
import { isFiller, meaningOf, tokenize, type Token } from './tokens.ts';
import { CONCEPTS, VALUE_ALIASES } from './vocabulary.ts';

/** A name such as web-1 may be written in this many words. */
const MOST_WORDS = 3;

/** A known name that a text speaks of. */
export interface Mention {
  readonly kind: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds known names, exact ones first, mistyped ones after; no two of one kind overlap. Words with a meaning of their own
 * (`words`, the vocabulary) are only taken for a name when they are spelled exactly like it.
 */
export function findMentions(text: string, facts: PlannerFacts, words: ReadonlySet<string>): readonly Mention[] {
  const tokens = tokenize(text).map(withoutPossessive);
  const kinds = Object.entries(facts.known).map(([kind, names]) => ({
    kind,
    names,
    bare: new Set(names.map(bareName)),
  }));
  const found: Mention[] = [];
  const take = (kind: string, name: string, start: number, end: number): void => {
    // One word can name two things: a server and an environment may both be called local.
    const free = found.every(
      (other) =>
        end <= other.start || start >= other.end || (other.start === start && other.end === end && other.kind !== kind),
    );
    if (free) found.push({ kind, name, start, end });
  };
  for (const { lower, start, end } of tokens) {
    const alias = VALUE_ALIASES.get(lower);
    for (const { kind, names } of kinds) {
      const exact = names.find((name) => name.toLowerCase() === lower);
      if (exact !== undefined) take(kind, exact, start, end);
      else if (alias !== undefined && names.includes(alias)) take(kind, alias, start, end);
    }
  }
  // Several words together must be the name but for its separators; only a single word may be mistyped.
  for (const [at, first] of tokens.entries()) {
    for (const last of tokens.slice(at + 1, at + MOST_WORDS)) {
      const written = bareName(text.slice(first.start, last.end));
      kinds.forEach(({ kind, names, bare }) => {
        const name = bare.has(written) ? onlySeparated(written, names) : null;
        if (name !== null) take(kind, name, first.start, last.end);
      });
    }
  }
  for (const { lower, start, end } of tokens.filter((token) => couldBeName(token.lower, words))) {
    for (const { kind, names } of kinds) {
      const name = closest(lower, names);
      if (name !== null) take(kind, name, start, end);
    }
  }
  return found.sort((left, right) => left.start - right.start);
}

/** The text with every mention replaced by a placeholder of its kinds (¤project, ¤environment+server), for comparing it with hints. */
export function withPlaceholders(text: string, mentions: readonly Mention[]): string {
  const places = new Map<number, { readonly end: number; readonly kinds: readonly string[] }>();
  for (const { kind, start, end } of mentions) {
    places.set(start, { end, kinds: [...(places.get(start)?.kinds ?? []), kind] });
  }
  let result = '';
  let at = 0;
  for (const [start, { end, kinds }] of [...places].sort(([left], [right]) => left - right)) {
    result += `${text.slice(at, start)} ¤${kinds.join('+')} `;
    at = end;
  }
  return result + text.slice(at);
}

function couldBeName(word: string, words: ReadonlySet<string>): boolean {
  return word.length > 1 && !isFiller(word) && !CONCEPTS.has(word) && !words.has(meaningOf(word));
}

function onlySeparated(written: string, names: readonly string[]): string | null {
  const same = names.filter((name) => /[^\p{L}\p{N}]/u.test(name) && bareName(name) === written);
  return same.length === 1 ? (same[0] ?? null) : null;
}

function withoutPossessive(token: Token): Token {
  if (!token.lower.endsWith("'s")) return token;
  return { lower: token.lower.slice(0, -2), start: token.start, end: token.end - 2 };
}
