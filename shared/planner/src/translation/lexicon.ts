import de from '../languages/de.json' with { type: 'json' };
import es from '../languages/es.json' with { type: 'json' };
import ru from '../languages/ru.json' with { type: 'json' };
import zh from '../languages/zh.json' with { type: 'json' };
import { cleanText } from '../text/tokens.ts';

/*
 * The words of the languages beside English. Each file lists, by the English of the planner, the forms that mean it, between bars. `…` in a form
 * stands for the words between its two parts: "brich … ab". A word that ends in `*` stands for all words that begin so. A key with `%` is a whole order whose literal parts are kept: "run %". In such
 * a form, parentheses hold alternatives between slashes, `%1` is one word, and `%c` has only
 * ASCII characters, as commands have.
 */

/** A form as folded words. `tail`: the words behind a gap. */
export interface LexiconForm {
  readonly head: readonly string[];
  readonly tail: readonly string[];
  readonly english: string;
}

export interface Lexicon {
  /** Forms by their first word, longest first. */
  readonly forms: ReadonlyMap<string, readonly LexiconForm[]>;
  /** Forms whose first word ends in `*`, longest first. */
  readonly stems: readonly LexiconForm[];
  /** Whole orders: a pattern of the language, and the English with the same placeholders. */
  readonly frames: readonly { readonly pattern: RegExp; readonly english: string }[];
}

/** Lowercases a word and removes its accents, because people omit them. */
export function foldWord(word: string): string {
  return word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}

const FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = { de, es, ru, zh };

/** Lexicons by language. */
export const LEXICONS: ReadonlyMap<string, Lexicon> = new Map(
  Object.entries(FILES).map(([language, file]) => [language, readLexicon(file, language === 'zh')]),
);

function readLexicon(file: Readonly<Record<string, string>>, isUnspaced: boolean): Lexicon {
  const entries = Object.entries(file).flatMap(([english, forms]) =>
    forms.split(' | ').map((form) => ({ english: english.trim(), parts: form.split('…').map(cleanText) })),
  );
  const wordsIn = (part: string): readonly string[] =>
    part
      .split(isUnspaced ? '' : ' ')
      .filter((word) => word.trim() !== '')
      .map(foldWord);
  const byFirst = new Map<string, LexiconForm[]>();
  for (const { english, parts } of entries.filter((one) => !one.english.includes('%'))) {
    const [head = '', tail = ''] = parts;
    const one = { head: wordsIn(head), tail: wordsIn(tail), english };
    const first = one.head[0] ?? '';
    byFirst.set(first, [...(byFirst.get(first) ?? []), one]);
  }
  const length = ({ head, tail }: LexiconForm): number => head.length + tail.length;
  const letters = ({ head }: LexiconForm): number => head[0]?.length ?? 0;
  for (const [first, forms] of byFirst)
    byFirst.set(
      first,
      forms.toSorted((one, other) => length(other) - length(one)),
    );
  const frames = entries
    .filter(({ english }) => english.includes('%'))
    .map(({ english, parts }) => ({ english, pattern: compileFrame(parts.join('')) }));
  const stems = [...byFirst]
    .filter(([first]) => first.endsWith('*'))
    .flatMap(([, forms]) => forms)
    .toSorted((one, other) => length(other) - length(one) || letters(other) - letters(one));
  return { forms: byFirst, stems, frames };
}

/** True when a word is meant by a word of a form. */
export function isFormWord(word: string, form: string): boolean {
  return form.endsWith('*') ? word.startsWith(form.slice(0, -1)) : word === form;
}

/** Compiles a whole order. A placeholder with a number is one word, so that the pattern takes linear time. */
function compileFrame(form: string): RegExp {
  const source = form
    .replace(/\(([^)]*)\)/g, (_, inside: string) => `(?:${inside.replaceAll('/', '|')})`)
    .replace(/%(\d)/g, String.raw`(?<v$1>[^\s=,;]+)`)
    .replace('%c', String.raw`(?<rest>[\x20-\x7e]+)`)
    .replace('%', '(?<rest>.+)');
  return new RegExp(`^${source}[.!?]*$`, 'isu');
}
