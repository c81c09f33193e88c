import type { Field } from './schema.ts';
import { inWordsOf } from './words.ts';

/** Words and signs after which somebody says what a thing is for. */
const PURPOSE =
  /(?::|\s[-–—]\s|,?\s*\b(?:it(?:'s| is)|which is|that is|that's|to be)?\s*\b(?:for|about)\b|\b(?:that|which|where)\b)\s*(.+)$/iu;
const POLITE = /[\s.!?,;]*(?:\bplease\b|\bpls\b|\bthanks\b|\bthank you\b)?[\s.!?,;]*$/i;

/**
 * The free text that fills a field: after the field's own name ("description … to X"), or, when the field is required,
 * after a word of purpose (for, about, a colon) behind `from`.
 */
export function findDescription(text: string, field: Field, from: number): string | null {
  const label = inWordsOf(field.name).replace(/[^\p{L}\p{N} ]/gu, '');
  const named =
    label === ''
      ? null
      : new RegExp(String.raw`\b${label}\b.*?(?:\bto\b|\bis now\b|\bis\b|\bas\b|:|=)\s*(.+)$`, 'iu').exec(text);
  if (named?.[1]) return tidy(named[1]);
  if (!field.required) return null;
  const purpose = PURPOSE.exec(text.slice(from));
  return purpose?.[1] ? tidy(purpose[1]) : null;
}

/** Free text without politeness and closing marks; null when nothing is left. */
export function tidy(written: string): string | null {
  const text = written
    .replace(POLITE, '')
    .replace(/^["']|["']$/g, '')
    .trim();
  return text === '' ? null : text;
}
