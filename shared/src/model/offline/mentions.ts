import type { PlannerFacts } from './catalog.ts';
import { closest } from './spelling.ts';
import { isFiller, meaningOf, tokenize, type Token } from './tokens.ts';
import { CONCEPTS, VALUE_ALIASES } from './vocabulary.ts';

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
  const kinds = Object.entries(facts.known);
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
    for (const [kind, names] of kinds) {
      const exact = names.find((name) => name.toLowerCase() === lower);
      if (exact !== undefined) take(kind, exact, start, end);
      else if (alias !== undefined && names.includes(alias)) take(kind, alias, start, end);
    }
  }
  for (const size of [3, 2, 1]) {
    for (let at = 0; at + size <= tokens.length; at++) {
      const [first, last] = [tokens[at], tokens[at + size - 1]];
      if (!first || !last || !couldBeName(tokens.slice(at, at + size), words)) continue;
      const written = text.slice(first.start, last.end).toLowerCase();
      for (const [kind, names] of kinds) {
        // Several words together must be the name but for its separators; only a single word may be mistyped.
        const name = size === 1 ? closest(written, names) : sameButSeparators(written, names);
        if (name !== null) take(kind, name, first.start, last.end);
      }
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

function couldBeName(tokens: readonly Token[], words: ReadonlySet<string>): boolean {
  if (tokens.length > 1) return tokens.every(({ lower }) => lower.length > 0);
  return tokens.every(({ lower }) => !isFiller(lower) && !CONCEPTS.has(lower) && !words.has(meaningOf(lower)));
}

function sameButSeparators(written: string, names: readonly string[]): string | null {
  const bare = written.replaceAll(' ', '');
  const same = names.filter(
    (name) => /[-_. ]/.test(name) && name.toLowerCase().replace(/[-_. ]/g, '') === bare.replace(/[-_.]/g, ''),
  );
  return same.length === 1 ? (same[0] ?? null) : null;
}

function withoutPossessive(token: Token): Token {
  if (!token.lower.endsWith("'s")) return token;
  return { lower: token.lower.slice(0, -2), start: token.start, end: token.end - 2 };
}
