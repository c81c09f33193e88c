import { joinPatterns } from '../../any-of.ts';

const PLACEHOLDER_WORDS = joinPatterns(
  /example|change[-_. ]?(?:me|it|this)|replace|placeholder|your[-_. ]|[-_.]your|^your|dummy|sample|fake|mock/i,
  /redacted|insert|todo|fixme|secret[-_]?here|[-_]here$|goes[-_]?here|not[-_]?(?:a[-_]?)?(?:real|secret)/i,
  /invalid|foo[-_]?bar|lorem/i,
  /(?:super|very|my|some|the|a|test|dev)[-_]?(?:secret|password|passwd|token|(?:api)?[-_]?key)(?![a-z])/i,
  /^(?:test|dev|local|demo|default)(?![a-z])/i,
  /^(?:secret|password|passw0rd|p@ssw0rd|admin|root|user|token|guest|qwerty|letmein|hunter)[-_!@#.]?\d{0,4}!?$/i,
);
/** References to variables, templates, formats and pipelines instead of values. */
const REFERENCE = /\$\{|\$\(|\$[A-Z_]|\{\{|\}\}|<%|%\(|%[A-Z_]+%|<[\w .:/-]+>|\{[\w.:-]*\}|#\{|\*{3}|\.{3}|…|\[\w+\]/i;
/** Sequences of letters, keyboard keys or digits, and repeated characters. */
const SEQUENCE =
  /abcdef(?!\d)|bcdefg|xyz123|abc123|123abc|0?123456|987654|qwerty|asdfgh|(.)\1{5,}|(..)\2{4,}|(...)\3{3,}/i;

/** Example secrets from the documentation of vendors and from emulators. */
const PUBLISHED = new Set([
  // Azure's storage and database emulators, by their first letters.
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1',
  'C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEH',
  // Documentation of Stripe, AWS and HTTP.
  'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  'sk_test_BQokikJOvBiI2HlWgH4olfQ2',
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEX',
  'QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
]);
const PUBLISHED_LENGTH = 32;

/** True for a placeholder. Runs in time linear in the length, which the caller limits. */
export function isPlaceholder(value: string): boolean {
  if (REFERENCE.test(value) || PLACEHOLDER_WORDS.test(value) || SEQUENCE.test(value)) return true;
  if (PUBLISHED.has(value.slice(0, PUBLISHED_LENGTH))) return true;
  return new Set(value).size < Math.min(6, Math.ceil(value.length / 3));
}

const WORD = /^(?:\d{1,4}|[A-Za-z]+\d{0,3})$/;
const MAX_WORDS = 12;

/** True for identifiers such as `two-factor-auth2` or `EnvironmentAPIKey`. */
export function isMadeOfWords(value: string): boolean {
  const parts = value.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  return parts.every((part) => part.length <= 40 && WORD.test(part) && countWords(part) <= MAX_WORDS && !isMixed(part));
}

/** Counts the words of a name part, such as three in `EnvironmentAPIKey`. The pattern never backtracks. */
function countWords(part: string): number {
  return part.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)?.length ?? 0;
}

/** True when capitals inside words are more frequent than in names. */
function isMixed(part: string): boolean {
  const capitals = part.replaceAll(/[^A-Z]/g, '').length;
  const small = part.replaceAll(/[^a-z]/g, '').length;
  return small > 0 && part.length >= 12 && capitals > part.length / 4;
}

const LONG = 32;
const PLAIN = /^[\w+/=.~:-]+$/;
const PRINTED = /^[\w+/=.~:!@#%^&*?-][\w+/=.~:!@#%^&*?()-]*$/;

/** True for a value of letters mixed with digits, without blanks, that is not made of words. */
export function isRandom(value: string, least = 16): boolean {
  if (value.length < least || !(value.length < LONG ? PLAIN : PRINTED).test(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value) && !isMadeOfWords(value) && entropyOf(value) >= 3;
}

/** Returns the Shannon entropy in bits per character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const sign of value) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
