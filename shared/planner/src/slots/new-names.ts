import { type Field, findProblem } from './schema.ts';
import { EFFECTS, isFiller, hasMeaning, wordSet } from '../text/tokens.ts';
import { type TextValue, createTextValue } from '../text/values.ts';

const NAME = String.raw`(?:"([^"]+)"|'([^']+)'|([\p{L}\p{N}][\p{L}\p{N}._-]*))`;
const CALLED = String.raw`\b(?:called|named|name(?: is|:|=)|call (?:it|this)|name (?:it|this)|as(?= \S+$)|as(?= \S+ (?:in|on|at|for|with)\b))\s*`;
const NOUN = String.raw`\b(?:project|app|server|machine|host|vps|box|register)[:,]?\s+`;
/** Positions of a new name, most certain first: "called shop", "project shop", "register vps-1". */
const PLACES = [CALLED, NOUN].map((before) => new RegExp(before + NAME, 'giu'));
/** A dash without blanks may be inside a name, because phones replace a hyphen by a dash. */
const JOINED = /^[\p{Pd}−][\p{L}\p{N}]/u;

/** Finds the new name in a text; null when no position is certain. */
export function findNewName(text: string): TextValue | null {
  for (const [place, pattern] of PLACES.entries()) {
    for (const match of text.matchAll(pattern)) {
      const quoted = match[1] ?? match[2];
      if (quoted === undefined && JOINED.test(text.slice(match.index + match[0].length))) continue;
      const name = quoted ?? (match[3] ?? '').replace(/[._-]+$/, '');
      const lower = name.toLowerCase();
      const isSure = place === 0 ? !isFiller(lower) : mayBeNew(lower);
      if (quoted !== undefined || (isSure && !/\.\p{L}/u.test(name)))
        return createTextValue(name, match.index + match[0].lastIndexOf(name));
    }
  }
  return null;
}

/** False for function words: "project for" contains no name, "project garden" does. */
function mayBeNew(word: string): boolean {
  return !isFiller(word) && !NEVER_NEW.has(word) && !/^\d/.test(word) && !hasMeaning(word, EFFECTS);
}

const NEVER_NEW = wordSet(
  'to that which who where when about called named with without needs status details again today project projects server servers idea list name new running demo repository repo port something',
);

/** Converts a written name to a name that the field accepts, in lower case with hyphens if necessary. */
export function toName(field: Field, written: string): string {
  const slug = written
    .normalize('NFD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const fitting = [written, written.toLowerCase(), slug].find(
    (name) => name !== '' && findProblem(field, name) === null,
  );
  return fitting ?? written;
}
