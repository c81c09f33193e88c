import { CONCEPTS } from './concepts.ts';
import type { Mention } from './mentions.ts';
import { ORDINARY_WORDS } from './ordinary-words.ts';
import { stem } from './stems.ts';
import { isFiller, meaningOf, tokenize } from './tokens.ts';

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
    ['server', { after: words('on at from server machine host box'), before: words('server machine box') }],
    ['project', { after: words('for of about project app give archive'), before: words('project app') }],
  ]);

/** "A project for newsletters" names no project. */
const INDEFINITE =
  /\b(?:an?|any|some|new|which|what|no)\s+(?:\p{L}+\s+)?(?:project|app|application|server|machine|host|port)s?\s+(?:for|about|of|on|at|from)\s+(?:the\s+)?$/iu;

/** Everyday words that stand behind "of" and "for" without naming anything. */
const NAMELESS = words(
  'example course now later today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday weekend week month year day night noon ' +
    'morning evening fun everyone everybody anybody anyone us them people users customers work sure me him her which what it testing production ' +
    'clients colleagues time minutes hours days seconds lines half two three money lunch dinner breakfast home school holidays christmas mine ours yours',
);

/** Whether no tool and no sentence explains the word. */
export function isStrange(word: string, words: ReadonlySet<string>): boolean {
  if (isFiller(word) || ORDINARY_WORDS.has(word) || CONCEPTS.has(word) || CONCEPTS.has(stem(word))) return false;
  return !words.has(meaningOf(word)) && !/^v?\d[\d.]*[a-z]*$/.test(word);
}

/** Strange words where the name of a thing of that kind stands; of any kind when it is null. */
export function findStrangeNames(
  text: string,
  kind: string | null,
  mentions: readonly Pick<Mention, 'start' | 'end'>[],
  vocabulary: ReadonlySet<string>,
): readonly StrangeName[] {
  const positions =
    kind === null ? [...POSITIONS.values()] : [...POSITIONS].flatMap(([of, place]) => (of === kind ? [place] : []));
  const tokens = tokenize(text);
  return tokens
    .filter(({ start }, at) => {
      if (INDEFINITE.test(text.slice(0, start))) return false;
      const before = tokens[at - 1]?.lower === 'the' ? tokens[at - 2] : tokens[at - 1];
      const after = tokens[at + 1];
      return positions.some(
        (place) => (before && place.after.has(before.lower)) || (after && place.before.has(after.lower)),
      );
    })
    .map(({ start, end }): StrangeName => ({ written: text.slice(start, end), start, end }))
    .filter((name) => isStrangeName(name, mentions, vocabulary) || isNamed(name, text, kind, mentions, vocabulary));
}

/** "Status of garden": even an everyday word is a name right behind of, for, project. */
function isNamed(
  { written, start }: StrangeName,
  text: string,
  kind: string | null,
  mentions: readonly Pick<Mention, 'start' | 'end'>[],
  vocabulary: ReadonlySet<string>,
): boolean {
  const word = written.toLowerCase();
  if (
    !ORDINARY_WORDS.has(word) ||
    NAMELESS.has(word) ||
    isFiller(word) ||
    CONCEPTS.has(word) ||
    vocabulary.has(meaningOf(word))
  )
    return false;
  if (mentions.some((mention) => start >= mention.start && start < mention.end)) return false;
  const before = kind === 'project' ? /\b(?:of|for|project|app)\s+$/i : SURELY_NAMED;
  return before.test(text.slice(0, start)) && NAME_ENDS.test(text.slice(start + written.length));
}

const SURELY_NAMED =
  /\b(?:status|state|details|info|ports?|logs?|project|app|archive|deploy) (?:of |for |on )?(?:project |app )?$/i;
const NAME_ENDS = /^\s*(?:$|[?.!,]|(?:on|in|to|from|at|please|now|with)\b)/i;

function isStrangeName(
  { written, start }: StrangeName,
  mentions: readonly Pick<Mention, 'start' | 'end'>[],
  words: ReadonlySet<string>,
): boolean {
  const mentioned = mentions.some((mention) => start >= mention.start && start < mention.end);
  return !mentioned && isStrange(written.toLowerCase().replace(/'s$/, ''), words);
}
