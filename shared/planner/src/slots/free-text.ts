import type { Mention } from '../text/mentions.ts';
import { findName } from '../text/names.ts';
import { sensesOf, tokenize } from '../text/tokens.ts';

/** A text without what is only said about a new thing: "a project called deploy that lists servers if they fail". */
export interface Head {
  readonly text: string;
  /** Where the new name stands, when there is one. */
  readonly name: { readonly start: number; readonly end: number } | null;
}

/** How what follows a new name begins, when it tells more about the thing. */
const TELLS_MORE =
  /^["'\s]*(?:[,.;:(!]|[-–—]\s|(?:for|about|that|which|where|who|to|it|its|is|selling|showing|and (?:it |this |be |is )?(?=\p{L}+))\b)/iu;
const LABELLED =
  /\b(?:description|desc|descr|tagline|blurb|what it says)\b[^.:="]{0,60}?(?:\b(?:to (?:be|say|read)|should(?: now)? (?:be|say|read)|shall(?: now)? (?:be|say|read)|is now|reads?|says?|into|to|is|as|with)\b\s*:?|[:=])\s*(?=\S)/iu;

/** Finds where free text begins: behind a new name, or behind the name of a description. The text itself when there is none. */
export function headOf(text: string, mentions: readonly Mention[], words: ReadonlySet<string>): Head {
  const labelled = LABELLED.exec(text);
  const end = labelled ? labelled.index + labelled[0].length : text.length;
  const found = findName(text, words);
  const known = found && mentions.some((mention) => mention.end > found.nameStart && mention.start < found.end);
  if (!found || known || found.nameStart > end || !makes(text.slice(0, found.nameStart)))
    return { text: text.slice(0, end), name: null };
  const quoted = /["']/.test(text[found.end - 1] ?? '');
  const tail = quoted || TELLS_MORE.test(text.slice(found.end)) ? found.end : end;
  return { text: text.slice(0, Math.min(end, tail)), name: { start: found.nameStart, end: found.end } };
}

/** Whether the words before a name speak of making something. */
function makes(before: string): boolean {
  if (/^(?:the |our |a |first )*(?:project|server|machine|app)\b/i.test(before)) return true;
  return tokenize(before).some(({ lower }) =>
    sensesOf(lower).some(({ meaning, share }) => share >= 0.7 && MAKING.has(meaning)),
  );
}

const MAKING: ReadonlySet<string> = new Set(['CREATE', 'REGISTER', 'WANT']);
