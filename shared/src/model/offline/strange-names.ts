import type { Mention } from './mentions.ts';
import { isFiller, meaningOf, stem, tokenize } from './tokens.ts';
import { CONCEPTS } from './vocabulary.ts';

/** A word that stands where a name stands, but that nobody knows. */
export interface StrangeName {
  readonly written: string;
  readonly start: number;
  readonly end: number;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Beside which words the name of a thing of a kind stands: "on web-9", "the shop project". */
const POSITIONS: ReadonlyMap<string, { readonly after: ReadonlySet<string>; readonly before: ReadonlySet<string> }> =
  new Map([
    ['server', { after: words('on at from server machine host'), before: words('server machine') }],
    ['project', { after: words('for of about project app give'), before: words('project app') }],
  ]);

/** Whether no tool and no sentence explains the word. */
function isStrange(word: string, words: ReadonlySet<string>): boolean {
  if (isFiller(word) || CONCEPTS.has(word) || CONCEPTS.has(stem(word))) return false;
  return !words.has(meaningOf(word)) && !/^v?\d[\d.]*$/.test(word);
}

/** Strange words where the name of a thing of that kind stands; of any kind when it is null. */
export function findStrangeNames(
  text: string,
  kind: string | null,
  mentions: readonly Mention[],
  vocabulary: ReadonlySet<string>,
): readonly StrangeName[] {
  const positions =
    kind === null ? [...POSITIONS.values()] : [...POSITIONS].flatMap(([of, place]) => (of === kind ? [place] : []));
  const tokens = tokenize(text);
  return tokens
    .filter((_, at) => {
      const before = tokens[at - 1]?.lower === 'the' ? tokens[at - 2] : tokens[at - 1];
      const after = tokens[at + 1];
      return positions.some(
        (place) => (before && place.after.has(before.lower)) || (after && place.before.has(after.lower)),
      );
    })
    .map(({ start, end }): StrangeName => ({ written: text.slice(start, end), start, end }))
    .filter((name) => isStrangeName(name, mentions, vocabulary));
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
