import { type Field, problemOf } from '../slots/schema.ts';
import { isStrange } from './strange-names.ts';
import { isFiller, meaningOf, tokenize } from './tokens.ts';

/** A new name in a text, and where it stands with the words that introduce it. */
export interface NewNameFound {
  readonly name: string;
  readonly start: number;
  /** Where the name itself begins. */
  readonly nameStart: number;
  readonly end: number;
}

const WORD = String.raw`["']?([\p{L}\p{N}][\p{L}\p{N}._-]*)`;
/** Words after which a new name stands for certain. */
const CALLED = String.raw`\b(?:called|named|titled|dubbed|call(?:ing)? (?:it|this|that|him|her|(?:the |our |this )?(?:project|app|server|machine))|name (?:it|this|that)|(?:the |its |it's )?name (?:is|should be|shall be|will be|would be)|name[:=]|as name|by the name of|under the name(?: of)?|with (?:the |a )?name(?: of)?|(?<=^|[,:;] ?|\band |\bwith )name(?= ))\s*`;
const AFTER_CALLED = new RegExp(CALLED + WORD, 'iu');
/** Pet Hotel: words with capitals are one name, after "called". */
const CAPITALS_AFTER_CALLED = new RegExp(`${CALLED}((?:\\p{Lu}[\\p{L}\\p{N}]*)(?: \\p{Lu}[\\p{L}\\p{N}]*){1,3})`, 'u');
const QUOTED_AFTER_CALLED = new RegExp(`${CALLED}["']([^"']+)["']`, 'iu');
const NOUN =
  'project|proj|prj|projct|projekt|app|application|product|server|service|machine|host|vps|vm|box|something(?: new)?|thing';
const QUOTED_AFTER_NOUN = new RegExp(String.raw`\b(?:${NOUN})[:,]?\s+"([^"]+)"`, 'iu');
/** "Create "billing-v2"", "set up bookshelf as a project", "register paris-1:". */
const MAKE = 'create|make|start|open|begin|add|register|onboard|enroll|include|establish|set up|launch';
const QUOTED_AFTER_MAKE = new RegExp(
  String.raw`\b(?:${MAKE})\s+(?:(?:a|an|the|our|new|this|project|server)\s+)*["']([^"']+)["']`,
  'iu',
);
const MADE_AS = new RegExp(String.raw`\b(?:${MAKE})\s+${WORD}["']?(?=\s+as\s+(?:an?|our|the|new)\b)`, 'iu');
const AFTER_MAKE = new RegExp(
  String.raw`\b(?:${MAKE})\s+(?:(?:a|an|the|our|new|this)\s+)*${WORD}(?=\s*(?:[,:(]|$|\s-\s))`,
  'iu',
);
const AFTER_NOUN = new RegExp(String.raw`\b(?:${NOUN})[:,]?\s+${WORD}`, 'giu');
const AFTER_AS = new RegExp(String.raw`\bas\s+${WORD}`, 'iu');
/** web-7: letters, a hyphen and more name something wherever they stand. */
const LIKE_A_NAME =
  /(?<![\p{L}\p{N}._/@-])(\p{L}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)*-[\p{L}\p{N}]*\d[\p{L}\p{N}]*)(?![\p{L}\p{N}._@-]*[\p{L}\p{N}])/u;

/** A name that a text introduces as one: called, named, in quotes. */
function findCalled(text: string): NewNameFound | null {
  for (const pattern of [
    QUOTED_AFTER_CALLED,
    CAPITALS_AFTER_CALLED,
    AFTER_CALLED,
    QUOTED_AFTER_NOUN,
    QUOTED_AFTER_MAKE,
    MADE_AS,
  ]) {
    const match = pattern.exec(text);
    if (match?.[1]) return found(match[1], match.index, match[0].length);
  }
  return null;
}

/** The new name in a text, and where it stands; null when there is none for certain. */
export function findName(text: string, words: ReadonlySet<string>): NewNameFound | null {
  const called = findCalled(text);
  if (called) return called;
  for (const match of text.matchAll(AFTER_NOUN)) {
    const name = match[1] ?? '';
    if (!isWordOfOurs(trimDots(name).toLowerCase(), words) && !/\.[\p{L}\d]/u.test(name))
      return found(name, match.index, match[0].length);
  }
  for (const pattern of [AFTER_MAKE, AFTER_AS, LIKE_A_NAME]) {
    const match = pattern.exec(text);
    const name = match?.[1] ?? '';
    if (match && !isWordOfOurs(trimDots(name).toLowerCase(), words) && !/\.\p{L}/u.test(name))
      return found(name, match.index, match[0].length);
  }
  const quoted = QUOTED_SOMEWHERE.exec(text);
  return quoted?.[1] ? found(quoted[1], quoted.index, quoted[0].length) : null;
}

/** A few words in quotes in the middle of a text. */
const QUOTED_SOMEWHERE = /(?<=\bproject\b.{0,40})["']((?:[\p{L}\p{N}-]+ ?){1,3})["']/iu;

/** A name that is the only strange word, as in "add hel-9" or "create radio"; for a tool that nobody calls without one. */
export function findStrangeNewName(text: string, words: ReadonlySet<string>): NewNameFound | null {
  const strange = tokenize(text.replace(/"[^"]*"/g, (quoted) => ' '.repeat(quoted.length))).filter(
    ({ lower }) => isStrange(lower, words) && !lower.includes('.'),
  );
  const [only] = strange;
  if (only && /\b(?:for|about|of|to|with)\s+(?:the\s+|our\s+|an?\s+)?$/i.test(text.slice(0, only.start))) return null;
  return only && strange.length === 1
    ? { name: text.slice(only.start, only.end), start: only.start, nameStart: only.start, end: only.end }
    : null;
}

/** The name as the field takes it: as written if that is allowed, else in small letters with hyphens, else as written. */
export function toName(field: Field, written: string): string {
  const candidates = [written, written.toLowerCase(), slug(written)];
  return candidates.find((candidate) => candidate !== '' && problemOf(field, candidate) === null) ?? written;
}

/** "project for" and "server with" name nothing; "project garden" and "project loyalty" do. */
function isWordOfOurs(word: string, words: ReadonlySet<string>): boolean {
  if (isFiller(word) || NEVER_NAMES.has(word) || /^\d/.test(word)) return true;
  return words.has(meaningOf(word)) && !/-/.test(word) && !isStrange(word, new Set());
}

const NEVER_NAMES: ReadonlySet<string> = new Set(
  (
    'to that which who where when for about called named with without has have needs need wants status details overview management ' +
    'again please today tomorrow soon idea list name new running description repo repository it is was selling showing using because ' +
    'since if while until like'
  ).split(' '),
);

function found(name: string, start: number, length: number): NewNameFound {
  const trimmed = trimDots(name.trim());
  const end = start + length - (name.length - trimmed.length);
  return { name: trimmed, start, nameStart: end - trimmed.length, end };
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
