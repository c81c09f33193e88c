import type { Mention } from './mentions.ts';
import { isFiller, meaningOf, stem, tokenize } from './tokens.ts';
import { CONCEPTS } from './vocabulary.ts';

/** A word that stands where a name stands, but that nobody knows. */
export interface StrangeName {
  readonly written: string;
  readonly start: number;
  readonly end: number;
}

const NAME = String.raw`([\p{L}\p{N}][\p{L}\p{N}._-]*)`;
const AFTER_PLACE = String.raw`\b(?:on|at|from|server|machine|host)\s+(?:the\s+)?${NAME}`;
const AFTER_TOPIC = String.raw`\b(?:for|of|about|project|app)\s+(?:the\s+)?${NAME}`;
/** Where the name of a thing of a kind stands. */
const POSITIONS: ReadonlyMap<string, readonly RegExp[]> = new Map([
  ['server', [new RegExp(AFTER_PLACE, 'giu'), new RegExp(String.raw`${NAME}\s+server\b`, 'giu')]],
  ['project', [new RegExp(AFTER_TOPIC, 'giu'), new RegExp(String.raw`${NAME}\s+project\b`, 'giu')]],
]);

/** Whether no tool and no sentence explains the word. */
export function isStrange(word: string, words: ReadonlySet<string>): boolean {
  if (isFiller(word) || CONCEPTS.has(word) || CONCEPTS.has(stem(word))) return false;
  return !words.has(meaningOf(word)) && !/^\d+$/.test(word);
}

/** Strange words where the name of a thing of that kind stands; of any kind when it is null. */
export function findStrangeNames(
  text: string,
  kind: string | null,
  mentions: readonly Mention[],
  words: ReadonlySet<string>,
): readonly StrangeName[] {
  const positions = kind === null ? [...POSITIONS.values()].flat() : (POSITIONS.get(kind) ?? []);
  const found = positions.flatMap((position) =>
    [...text.matchAll(position)].map((match): StrangeName => {
      const written = match[1] ?? '';
      const start = match.index + match[0].indexOf(written, match[0].startsWith(written) ? 0 : 1);
      return { written, start, end: start + written.length };
    }),
  );
  return found.filter((name) => isStrangeName(name, mentions, words));
}

/** The only strange word of a text, as the name in "how is pets doing"; null when there is none or more than one. */
export function findOnlyStrange(
  text: string,
  mentions: readonly Mention[],
  words: ReadonlySet<string>,
): StrangeName | null {
  const strange = tokenize(text)
    .map(({ start, end }): StrangeName => ({ written: text.slice(start, end), start, end }))
    .filter((name) => isStrangeName(name, mentions, words));
  return strange.length === 1 ? (strange[0] ?? null) : null;
}

function isStrangeName(
  { written, start }: StrangeName,
  mentions: readonly Mention[],
  words: ReadonlySet<string>,
): boolean {
  const mentioned = mentions.some((mention) => start >= mention.start && start < mention.end);
  return !mentioned && isStrange(written.toLowerCase().replace(/'s$/, ''), words);
}
