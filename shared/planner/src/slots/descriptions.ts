import { findQuoted } from '../text/quantities.ts';
import type { Field } from './schema.ts';
import { inWordsOf } from '../words.ts';

/** Words and signs after which somebody says what a thing is for. */
const PURPOSE =
  /(?::|\s[-–—]\s|,?\s*\b(?:it(?:'s| is)|which is|that is|that's|to be|used|meant|intended)?\s*\b(?:for|about)\b|\b(?:that|which|where)\b|\bto (?=\p{L}+ ))\s*(.+)$/iu;
/** What it is for may also stand before its name: "a project for our shop called tea". */
const PURPOSE_BEFORE = /(?::|\b(?:for|about|that|which|where)\b)\s*(.+)$/iu;
/** How what follows a new name may begin, when it says what the thing is. */
const BEGINNING =
  /^[\s,.;:(–—-]*(?:(?:and |so )?(?:it|this|be|the project|the app|which|that|where|a place where)(?:'s| is| will be| shall be| should be)?\s+(?:all |just |basically |mainly )*(?:for |about |going to )?|(?:is|used|meant|intended|supposed|to be used)\s+(?:for|to|about)\s+|(?:for|about|to)\s+(?:the purpose of |use in )?)?/iu;
const POLITE = /[\s.!?,;]*(?:\bplease\b|\bpls\b|\bthanks\b|\bthank you\b)?[\s.!?,;]*$/i;

/** Where a new name stands in the text. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * The free text that fills a field: after the field's own name ("description … to X"), or, when the field is required,
 * what the thing is for: behind its name, or before it.
 */
export function findDescription(text: string, field: Field, from: number, name: Place | null = null): string | null {
  const labelled = afterLabel(text, field);
  if (labelled !== null) return tidy(labelled);
  if (!field.required) return null;
  if (name) {
    const behind = behindName(text.slice(name.end), /["']/.test(text[name.end - 1] ?? ''));
    if (behind !== null) return behind;
    const before = PURPOSE_BEFORE.exec(text.slice(0, name.start));
    return before?.[1] ? tidy(before[1].replace(/[\s,.;:]+(?:and|please|just|let's|lets)?[\s,.;:]*$/i, '')) : null;
  }
  const purpose = PURPOSE.exec(text.slice(from));
  return purpose?.[1] ? tidy(purpose[1]) : null;
}

/** What follows the name of a new thing; null when it does not say what it is. */
function behindName(after: string, quoted: boolean): string | null {
  const rest = after
    .replace(/^["'\s]*as (?:an?|our|the) (?:new )?(?:project|app|application|server|product)\b/iu, '')
    .replace(/^[\s,.]*\b(?:please|pls|now|then|thanks)\b[\s,.]*(?=\p{L})/iu, ', ');
  const begun =
    /^["'\s]*(?:[,.;:(]|[-–—]\s|\b(?:for|about|that|which|where|to|it|it's|is|used|meant|who|selling|showing|with|and (?:(?:it|this|be) )?(?=\p{L}+))\b)/iu.test(
      rest,
    );
  if (!begun && !quoted) return null;
  const text = rest
    .replace(/^["']/, '')
    .replace(BEGINNING, '')
    .replace(/^(?:is|are)\s+/i, '');
  const told = tidy(text);
  return told !== null && /\p{L}{2}/u.test(told) && !ONLY_POLITE.test(told) && !ORDER.test(told) ? told : null;
}

/** "Please set it up" says nothing of the thing. */
const ORDER =
  /^(?:please |so |and |can you |could you )*(?:set|create|make|add|register|start|do|go|open|include|put)\b.{0,12}\b(?:it|that|this|up|ahead|now)\b[^\p{L}]*(?:please|pls)?[.! ]*$/iu;
const ONLY_POLITE = /^(?:please|pls|thanks|thank you|now|today|asap|ok|for me|for us|again|too|and|right)[.! ]*$/i;

/** "description of shop: X", "change the description to X", "describe shop as X", "shop should say X". */
function afterLabel(text: string, field: Field): string | null {
  const label = inWordsOf(field.name).replace(/[^\p{L}\p{N} ]/gu, '');
  if (label === '') return null;
  const short = label.length > 6 ? `${label.slice(0, 4)}\\p{L}*` : label;
  const stop = String.raw`(?!(?:for|of|to|is|in|on|please|about)\b)`;
  const named = new RegExp(
    String.raw`\b(?:${short}|what it says|tagline|blurb|purpose)\b(?:[^.:="]{0,60}?(?:\b(?:to (?:be|say|read)|should(?: now)? (?:be|say|read)|shall(?: now)? (?:be|say|read)|is now|now reads?|reads|says|into|to|is|as|with)\b\s*:?|[:=]))\s*(.+)$`,
    'iu',
  ).exec(text);
  if (named?.[1]) return named[1];
  if (!/^desc|text|summary|purpose/i.test(field.name)) return null;
  const described = /\bdescribed?\b.{1,60}?\b(?:as|like this|like|with)\b\s*:?\s*(.+)$/iu.exec(text);
  if (described?.[1]) return described[1];
  const bare = new RegExp(String.raw`\b${short}\s+${stop}["']?(\p{L}.+)$`, 'iu').exec(text);
  return field.required && bare?.[1] ? bare[1] : null;
}

/** Free text without politeness and closing marks; null when nothing is left. */
export function tidy(written: string): string | null {
  const [quoted] = findQuoted(written.trim());
  const text = (quoted && quoted.start === 0 && quoted.end >= written.trim().length - 1 ? quoted.value : written)
    .replace(POLITE, '')
    .replace(/^["']|["']$/g, '')
    .replace(/^([^(]*)\)$/, '$1')
    .trim();
  return text === '' ? null : text;
}
