import { escapeLines } from '@signalbox/messages/format-code';

/*
 * The value of a variable is kept exactly as it was written, with its line breaks, blanks and quotes, while the words around it are cleaned
 * and split. Until a call is written, each of its characters that is no letter or digit of ASCII stands in a private plane of Unicode.
 */

const PLANE = 0xf0000;
const SHIELDED = /[\u{F0000}-\u{FFFFF}]/gu;
const PLAIN = /[A-Za-z0-9]/;
/** An order that sets a variable, up to its value. */
const ORDER =
  /^\s*(?:please |can you |could you |would you )*(?:set|change) (?:the )?(?:env(?:ironment)? )?(variable |var )?([A-Za-z_]\w*) (?:of|for|on|in|from) [\w -]{1,120}? to(?: |(?=\n))/i;
/** What one line of plain words holds is read by the rules of sentences, which know where it ends. */
const NEEDS_NONE = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/** Matches a blank, and letters of scripts that write no blank between words. */
const BETWEEN_WORDS =
  /\s|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}/u;

/** Shields the value of an order that sets a variable, when a sentence would not keep it as it is. Pure. */
export function encodeValue(text: string, maxLength: number): string {
  const [head = '', called = '', name = ''] = ORDER.exec(text) ?? [];
  const value = unquote(text.slice(head.length));
  const isVariable = head !== '' && (called !== '' || /^[A-Z0-9_]+$/.test(name));
  if (!isVariable || value === '' || NEEDS_NONE.test(value)) return text;
  const shielded = `${head.trim()} ${[...value].map(shield).join('')}`;
  // A value that is cut would be another one, so it is asked for again.
  return shielded.length <= maxLength ? shielded : head.trim();
}

/** Puts the characters of shielded values back, in any depth. Pure. */
export function decodeValues<T>(given: T): T {
  return mapTexts(given, (text) => text.replace(SHIELDED, toCharacter)) as T; // Only texts change, so the shape is the same.
}

/** Shows shielded values in one line: a line break is `\n`. Pure. */
export function showValues(text: string): string {
  return text.replace(SHIELDED, (one) => escapeLines(toCharacter(one)));
}

/** True when a shielded value has several words: no rule of sentences has looked at them, so some may not belong to the value. Pure. */
export function holdsShieldedWords(text: string): boolean {
  return [...text.matchAll(SHIELDED)].some(([one]) => BETWEEN_WORDS.test(toCharacter(one)));
}

function shield(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return PLAIN.test(character) || code > 0xffff ? character : String.fromCodePoint(PLANE + code);
}

function toCharacter(shielded: string): string {
  return String.fromCodePoint((shielded.codePointAt(0) ?? PLANE) - PLANE);
}

const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”', '„': '“', '«': '»', '‘': '’' };

/** A value in quotes is what stands between them; a line break right before an unquoted value is none of its own. */
function unquote(written: string): string {
  const trimmed = written.trim();
  const [end, inside] = [QUOTES[trimmed.charAt(0)], trimmed.slice(1, -1)];
  const isQuoted = end !== undefined && trimmed.length > 1 && trimmed.endsWith(end);
  if (isQuoted && !inside.includes(trimmed.charAt(0)) && !inside.includes(end)) return inside;
  return written.replace(/^[ \t]*\n/, '').trimEnd();
}

function mapTexts(given: unknown, change: (text: string) => string): unknown {
  if (typeof given === 'string') return change(given);
  if (Array.isArray(given)) return given.map((one) => mapTexts(one, change));
  if (typeof given !== 'object' || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, mapTexts(value, change)]));
}
