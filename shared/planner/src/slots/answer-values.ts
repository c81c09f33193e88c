import { tidy } from './descriptions.ts';
import {
  takesIdentifier,
  takesNewName,
  takesOneWord,
  takesSearchText,
  takesText,
  takesVersion,
} from './field-kinds.ts';
import { isSameChoice } from './labels.ts';
import { findMentions } from '../text/mentions.ts';
import { knownNames } from './name-slots.ts';
import { findName, toName } from '../text/names.ts';
import { findAddresses, findQuantities, findQuoted, hasUnit, inUnitOf, takesAddress } from '../text/quantities.ts';
import { type Field, problemOf } from './schema.ts';
import { nearest } from '../text/spelling.ts';
import { isFiller, tokenize } from '../text/tokens.ts';
import type { Surroundings } from '../requests/understanding.ts';
import { findVersionsFor } from '../text/versions.ts';

/** What has more words is a sentence and no name. */
const MOST_NAME_WORDS = 4;
/** What has more words says no version and no service. */
const MOST_VALUE_WORDS = 3;

/** The value for a field in a text that answers its question; it may still be one that the schema refuses. Null when there is none. */
export function readAnswer(field: Field, text: string, { facts, index }: Surroundings): unknown {
  if (field.type === 'integer' || field.type === 'number') return readNumber(field, text);
  if (field.type === 'boolean') return readYesOrNo(text);
  if (field.choices.length > 0) return readChoice(field, text);
  if (field.type !== 'string') return null;
  if (takesNewName(field)) return readNewName(field, text, index.words);
  if (takesAddress(field)) return findAddresses(text)[0]?.value ?? null;
  if (takesOneWord(field)) return readWord(field, text);
  if (takesVersion(field)) return findVersionsFor(text, { bare: true, target: true })[0]?.value ?? readShort(text);
  if (takesSearchText(field)) return findQuoted(text)[0]?.value ?? tidy(text);
  if (takesIdentifier(field)) return readShort(text);
  if (takesText(field))
    return tidy(findQuoted(text)[0]?.value ?? text.replace(/^(?:it(?:'s| is)|that's)?\s*(?:for|about)\s+/i, ''));
  const mention = findMentions(text, facts, index.words, index.closed).find(
    ({ kind, candidates }) => kind === field.entity && candidates.length === 1,
  );
  if (mention) return mention.name;
  const known = Object.hasOwn(facts.known, field.entity ?? '');
  const [only, ...more] = tokenize(text).filter(({ lower }) => !isFiller(lower));
  if (known && only && more.length === 0) {
    // As an answer even an everyday word may be a mistyped name.
    const near = nearest(only.lower, knownNames(facts, field.entity));
    return near.length === 1 ? (near[0] ?? null) : null;
  }
  return !known && only && more.length === 0 ? text.slice(only.start, only.end) : null;
}

function readNumber(field: Field, text: string): number | null {
  const values = findQuantities(text).map((quantity) => inUnitOf(field.name, quantity));
  const value = values.find((candidate) => candidate !== null) ?? null;
  if (value !== null && value < 1 && field.type === 'integer') return null;
  return value !== null && field.type === 'integer' && hasUnit(field.name) ? Math.ceil(value) : value;
}

function readYesOrNo(text: string): boolean | null {
  if (/^(?:yes|y|yep|yeah|sure|true|on)\b/i.test(text)) return true;
  return /^(?:no|n|nope|false|off)\b/i.test(text) ? false : null;
}

function readChoice(field: Field, text: string): string | null {
  const words = tokenize(text);
  const same = field.choices.find((choice) => words.some(({ lower }) => isSameChoice(lower, choice)));
  if (same !== undefined) return same;
  const near = words.flatMap(({ lower }) => (isFiller(lower) ? [] : nearest(lower, field.choices)));
  return new Set(near).size === 1 ? (near[0] ?? null) : null;
}

/** The word of a text that the field takes: one that is built like an address rather than any. */
function readWord(field: Field, text: string): string | null {
  const words = tokenize(text)
    .filter(({ lower }) => !isFiller(lower))
    .map(({ start, end }) => text.slice(start, end))
    .filter((word) => problemOf(field, word) === null);
  return words.find((word) => word.includes('.')) ?? (words.length === 1 ? (words[0] ?? null) : null);
}

/** A short answer without the words around it. */
function readShort(text: string): string | null {
  const quoted = findQuoted(text)[0]?.value;
  if (quoted !== undefined) return quoted;
  const words = text.replace(LEAD_IN, '').match(/[\p{L}\p{N}][\p{L}\p{N}._/+-]*/gu) ?? [];
  const said = words.filter(
    (word) => !isFiller(word.toLowerCase()) && !/^(?:branch|version|node|service|tag)$/i.test(word),
  );
  const [only] = said.length > 0 ? said : words;
  return only !== undefined && said.length <= MOST_VALUE_WORDS && said.length < 2 ? only : null;
}

const LEAD_IN =
  /^(?:(?:let'?s|please|just|maybe|i'?d|we|should|would|like to|how about|what about|call|name|it|should be|be|is|the|project|its|it's|hm+|um|ok|okay|well|make|instead|say|i think|rather|use|take)[ ,]+)+/i;

function readNewName(field: Field, text: string, words: ReadonlySet<string>): string | null {
  const quoted = findQuoted(text)[0];
  if (quoted) return toName(field, quoted.value);
  const plain = text.replace(LEAD_IN, '');
  const called = /\b(?:called|named)\b/i.test(plain) ? findName(plain, words) : null;
  if (called) return toName(field, called.name);
  const bare = (/^[^,:;]+/.exec(plain)?.[0] ?? '')
    .replace(/\s+(?:for|about|please|that|which|instead)\b.*$/i, '')
    .replace(/[.!?\s]+$/, '');
  return bare !== '' && bare.split(' ').length <= MOST_NAME_WORDS ? toName(field, bare) : null;
}
