import { problemOf, type Field } from './schema.ts';
import { isFiller, meaningOf } from './tokens.ts';
import { CONCEPTS } from './vocabulary.ts';

const WORD = String.raw`"?'?([\p{L}\p{N}][\p{L}\p{N}._-]*)`;
/** Words after which a new name stands for certain. */
const CALLED = new RegExp(
  String.raw`\b(?:called|named|titled|call it|name it|the name is|name is|name:|as name)\s+(?:")?`,
  'iu',
);
const AFTER_CALLED = new RegExp(String.raw`${CALLED.source}${WORD}`, 'iu');
const QUOTED_AFTER_CALLED = new RegExp(String.raw`${CALLED.source.replace('(?:")?', '')}"([^"]+)"`, 'iu');
const AFTER_NOUN = new RegExp(String.raw`\b(?:project|projct|app|application|server|service)\s+${WORD}`, 'giu');

const AFTER_AS = new RegExp(String.raw`\bas\s+${WORD}`, 'iu');
/** web-7: letters, a hyphen and a number name something wherever they stand. */
const LIKE_A_NAME = /(?<![\p{L}\p{N}._-])(\p{L}[\p{L}\p{N}]*-\d+)(?![\p{L}\p{N}._-])/u;

/** The new name in a text, and where it stands; null when there is none for certain. */
export function findName(
  text: string,
  words: ReadonlySet<string>,
): { name: string; start: number; end: number } | null {
  const quoted = QUOTED_AFTER_CALLED.exec(text);
  if (quoted?.[1]) return { name: quoted[1].trim(), start: quoted.index, end: quoted.index + quoted[0].length };
  const called = AFTER_CALLED.exec(text);
  if (called?.[1]) return { name: trimDots(called[1]), start: called.index, end: called.index + called[0].length };
  for (const match of text.matchAll(AFTER_NOUN)) {
    const name = trimDots(match[1] ?? '');
    const word = name.toLowerCase();
    if (isFiller(word) || CONCEPTS.has(word) || words.has(meaningOf(word))) continue;
    return { name, start: match.index, end: match.index + match[0].length };
  }
  const other = AFTER_AS.exec(text) ?? LIKE_A_NAME.exec(text);
  const name = other?.[1] ?? '';
  if (!other || isFiller(name.toLowerCase()) || words.has(meaningOf(name.toLowerCase()))) return null;
  return { name: trimDots(name), start: other.index, end: other.index + other[0].length };
}

/** The name as the field takes it: as written if that is allowed, else in small letters with hyphens, else as written. */
export function toName(field: Field, written: string): string {
  const candidates = [written, written.toLowerCase(), slug(written)];
  return candidates.find((candidate) => candidate !== '' && problemOf(field, candidate) === null) ?? written;
}

function slug(written: string): string {
  return written
    .normalize('NFD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

function trimDots(name: string): string {
  return name.replace(/[._-]+$/, '');
}
