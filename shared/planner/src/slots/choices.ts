import { CONCEPTS } from '../text/concepts.ts';
import { isSameChoice } from './labels.ts';
import type { Choice } from '../conversation/marks.ts';
import { namesWithPart } from '../text/mentions.ts';
import { ORDINARY_WORDS } from '../text/ordinary-words.ts';
import { closest } from '../text/spelling.ts';
import { isFiller, tokenize } from '../text/tokens.ts';

const ORDINALS: readonly RegExp[] = [
  /^(?:the )?(?:1st|first|former|top)(?: one)?$/,
  /^(?:the )?(?:2nd|second)(?: one)?$/,
  /^(?:the )?(?:3rd|third)(?: one)?$/,
  /^(?:the )?(?:4th|fourth)(?: one)?$/,
  /^(?:the )?(?:5th|fifth)(?: one)?$/,
];
const LEAD =
  /^(?:(?:please|just|use|take|pick|let'?s|i'?d|say|go with|i mean|make it|hm+|um|well|ok|okay|yes|then|maybe|i think|probably|rather|number|option|for|on|to|the one)[ ,:]+)+/;
const OTHER =
  /^(?:(?:no|nope|nah|not that(?: one)?|not this(?: one)?|sorry)[,. ]*)*(?:the |i meant? the |use the |take the )?other(?: one| server| project| environment)?$/;

/** The choice that a text names: by value or label, by its number, as "the second one", "the other", or within a few words around it. */
export function pickChoice(text: string, choices: readonly Choice[], question = ''): string | null {
  const plain = text.replace(/[.!?,\s]+$/, '').toLowerCase();
  if (plain === '' || choices.length === 0) return null;
  const exact = exactChoice(text, choices);
  if (exact !== null) return exact;
  if (OTHER.test(plain)) return theOther(choices, question);
  const excluded = /^(?:no,? )?(?:anything but|not|everything but|except) (?:the |on |in )?(\S+)$/.exec(plain)?.[1];
  if (excluded !== undefined)
    return remaining(choices, ({ value, label }) => isSameChoice(excluded, value) || isSameChoice(excluded, label));
  const bare = plain.replace(LEAD, '').replace(/(?:,| )+(?:please|pls|then|i think|i guess|thanks)$/, '');
  const number = /^(?:no|nr|nº|number|option|choice|answer)?\.? ?#?(\d{1,2})\)?$/.exec(bare)?.[1];
  if (number !== undefined) return choices[Number(number) - 1]?.value ?? null;
  if (/^(?:the )?(?:last|latter)(?: one)?$/.test(bare)) return choices.at(-1)?.value ?? null;
  const ordinal = ORDINALS.findIndex((pattern) => pattern.test(bare));
  if (ordinal >= 0) return choices[ordinal]?.value ?? null;
  return byWords(bare, choices);
}

/** The choice whose label or value is just what was written. */
export function exactChoice(text: string, choices: readonly Choice[]): string | null {
  const plain = text.replace(/[.!?,\s]+$/, '').toLowerCase();
  const exact = choices.find(({ label, value }) => value.toLowerCase() === plain || label.toLowerCase() === plain);
  return exact?.value ?? null;
}

function byWords(text: string, choices: readonly Choice[]): string | null {
  const words = tokenize(text).filter(({ lower }) => !isFiller(lower));
  if (words.length === 0 || words.length > 3) return null;
  const named = choices.filter(({ label, value }) =>
    words.some(({ lower }) => isSameChoice(lower, value) || isSameChoice(lower, label)),
  );
  if (named.length === 1) return named[0]?.value ?? null;
  const values = choices.map(({ value }) => value);
  const labels = choices.map(({ label }) => label);
  // A word that says something by itself is no mistyped name: "stop" is not "shop".
  if (words.some(({ lower }) => CONCEPTS.has(lower) || ORDINARY_WORDS.has(lower))) return partOf(words, values);
  const written = words.map(({ lower }) => lower).join(' ');
  const value = closest(written, values);
  if (value !== null) return value;
  const label = closest(written, labels);
  if (label !== null) return choices.find((choice) => choice.label === label)?.value ?? null;
  return partOf(words, values);
}

function partOf(words: readonly { readonly lower: string }[], values: readonly string[]): string | null {
  const [only, ...more] = words.flatMap(({ lower }) => namesWithPart(lower, values));
  return only !== undefined && more.length === 0 ? only : null;
}

/** Of two choices the one that the question did not name; null when it named both or none. */
function theOther(choices: readonly Choice[], question: string): string | null {
  return choices.length === 2
    ? remaining(choices, ({ value, label }) =>
        [value, label].some((name) => question.toLowerCase().includes(name.toLowerCase())),
      )
    : null;
}

function remaining(choices: readonly Choice[], isOut: (choice: Choice) => boolean): string | null {
  const left = choices.filter((choice) => !isOut(choice));
  return left.length === 1 && left.length < choices.length ? (left[0]?.value ?? null) : null;
}
