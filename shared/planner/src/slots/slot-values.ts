import { isLabelOf } from './labels.ts';
import { findQuoted } from '../text/quantities.ts';
import { type Field, problemOf } from './schema.ts';
import { isStrange } from '../text/strange-names.ts';
import { isFiller, meaningOf, tokenize } from '../text/tokens.ts';

/** A value in a text, and where it stands. */
export interface Found {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Words that the field's form takes. */
export function findFormed(text: string, field: Field): Found | null {
  for (const match of text.matchAll(/[^\s,;"'()]+/g)) {
    const value = match[0].replace(/[.!?:]+$/, '');
    if (problemOf(field, value) === null) return { value, start: match.index, end: match.index + value.length };
  }
  return null;
}

const CONTAINS =
  /\b(?:grep(?:ping)?(?: for)?|contain(?:s|ing|ed)?|mention(?:s|ing)?|includ(?:es|ing)|match(?:es|ing)?|filter(?:ed|ing)?(?: by| for| on)?|search(?:ing)?(?: for)?|look(?:ing)? for|with the (?:word|text|string|term|phrase)|(?:lines?|entries|messages|those|ones|anything|everything|something|stuff)\s+(?:only )?(?:with|about|saying|that (?:contain|mention|say|have|include)s?|having|on|regarding))\s+(?:the |a |an |any |all |only |(?:word|text|string|term|phrase) )*["']?([^\s"',;]+)/giu;

const SEARCHED_FOR = /\b(?:search|grep|look|scan|check)\b.{0,60}?\bfor\s+(?:the |any |all )*["']?([^\s"',;]+)/iu;
const IN_THEM = /\bwith\s+["']?([^\s"',;]+)["']?\s+in (?:it|them|there)\b/iu;

const SHOUTED =
  /(?<![\p{L}\p{N}_-])(\p{Lu}[\p{Lu}\p{N}_]{3,}|[45]\d\ds?(?= (?:errors?|lines?|responses?|status|codes?))|\p{Lu}\p{Ll}+(?:\p{Lu}\p{Ll}+)+)(?![\p{L}\p{N}_-])/u;

/** The text that lines shall contain: in quotes, or after "containing", "grep", "with … in them". */
export function findSearchText(text: string, isFree: (start: number, end: number) => boolean): Found | null {
  const [quoted] = findQuoted(text).filter(({ start, end }) => isFree(start, end));
  if (quoted) return quoted;
  const inThem = IN_THEM.exec(text);
  if (inThem?.[1]) return at(inThem[1], inThem.index + inThem[0].indexOf(inThem[1], 4));
  for (const match of text.matchAll(CONTAINS)) {
    const word = match[1] ?? '';
    const start = match.index + match[0].length - word.length;
    const lower = word.toLowerCase().replace(/[.!?]+$/, '');
    if (!isFree(start, start + lower.length) || isFiller(lower) || NOT_SEARCHED.has(lower)) continue;
    return at(word.replace(/[.!?]+$/, ''), start);
  }
  const searched = SEARCHED_FOR.exec(text);
  const wanted = searched?.[1]?.replace(/[.!?]+$/, '') ?? '';
  if (searched && wanted !== '' && !isFiller(wanted.toLowerCase())) {
    const start = searched.index + searched[0].lastIndexOf(searched[1] ?? '');
    if (isFree(start, start + wanted.length)) return at(wanted, start);
  }
  const shouted = SHOUTED.exec(text);
  return shouted?.[1] && isFree(shouted.index, shouted.index + shouted[1].length)
    ? at(shouted[1], shouted.index)
    : null;
}

const NOT_SEARCHED: ReadonlySet<string> = new Set(
  'log logs lines line service deploy project server last past'.split(' '),
);

/** A short name behind or before the name of the field: "service metrics", "the api service", "node: parser". */
export function findLabelled(
  text: string,
  field: Field,
  isFree: (start: number, end: number) => boolean,
  words: ReadonlySet<string>,
): Found | null {
  const tokens = tokenize(text);
  const usable = (place: number): Found | null => {
    const token = tokens[place];
    if (!token || !isFree(token.start, token.end) || isFiller(token.lower) || NEVER_LABELLED.has(token.lower))
      return null;
    return { value: text.slice(token.start, token.end), start: token.start, end: token.end };
  };
  for (const [place, { lower, end }] of tokens.entries()) {
    if (!isLabelOf(lower, field)) continue;
    const next = tokens[place + 1];
    const between = next ? text.slice(end, next.start) : '';
    const behind = /^\s*[:=]?\s*["']?$|^ (?:is|called|named) $/.test(between) ? usable(place + 1) : null;
    if (behind && !isPlain(behind.value.toLowerCase(), words)) return behind;
    const before = usable(place - 1);
    if (
      before &&
      !isPlain(before.value.toLowerCase(), words) &&
      !/[,.;]/.test(text.slice(before.end, tokens[place]?.start))
    )
      return before;
    if (behind && /[:=]/.test(between)) return behind;
  }
  return null;
}

const NEVER_LABELLED: ReadonlySet<string> = new Set(
  'once more manually twice project server port please logs log health failed broken new free called named which what with that for and again last one running'.split(
    ' ',
  ),
);

/** Words of everyday speech label nothing; "admin", "api" and "metrics" do, although they mean something elsewhere. */
function isPlain(word: string, words: ReadonlySet<string>): boolean {
  return !isStrange(word, new Set()) && words.has(meaningOf(word));
}

/** A word with underscores, as programs name their parts: intent_parser. */
export function findProgramName(text: string, isFree: (start: number, end: number) => boolean): Found | null {
  for (const match of text.matchAll(/(?<![\p{L}\p{N}_-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\p{L}\p{N}_-])/giu)) {
    const [value] = match;
    if (isFree(match.index, match.index + value.length)) return at(value, match.index);
  }
  return null;
}

const ASSIGNMENT = /(?<![\p{L}\p{N}_])([\p{L}_]{2,20})\s?=\s?(?:"([^"]+)"|'([^']+)'|([^\s,;]+))/giu;

/** What is written as name=value. */
export function findAssignments(text: string): readonly (Found & { readonly key: string })[] {
  return [...text.matchAll(ASSIGNMENT)].map((match) => ({
    key: (match[1] ?? '').toLowerCase(),
    value: match[2] ?? match[3] ?? match[4] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }));
}

const RANGE =
  /(?<![\p{L}\p{N}.-])(\d{1,9})\s?(?:-|–|—|\.\.+|to|till|until|through|up to|and)\s?(\d{1,9})(?![\p{L}\p{N}]|\.\d)/iu;

/** Two numbers with what lies between them: 30000-30499, "from 1 to 9". */
export function findRange(
  text: string,
): { readonly from: number; readonly to: number; readonly start: number; readonly end: number } | null {
  const match = RANGE.exec(text);
  if (!match) return null;
  return { from: Number(match[1]), to: Number(match[2]), start: match.index, end: match.index + match[0].length };
}

function at(value: string, start: number): Found {
  return { value, start, end: start + value.length };
}
