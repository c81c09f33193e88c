/** Escapes a name for a markdown sentence: one line without formatting. Pure. */
export function toPlainName(text: string): string {
  return text.replace(/[\\`*_[\]<>~|#]/g, '\\$&').replace(/\s+/g, ' ');
}

/** Control characters and direction marks, but not joiners, which occur in names. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** Removes characters from a person's name that would change how a terminal or page shows it. The result may be empty. Pure. */
export function cleanName(text: string): string {
  return text.toWellFormed().replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim();
}
