/** A name or a title inside a sentence of ours, as Markdown: one line, and no name formats our text. Pure. */
export function plainName(text: string): string {
  return text.replace(/[\\`*_[\]<>~|#]/g, '\\$&').replace(/\s+/g, ' ');
}

/** Control characters, and marks that turn the direction of writing; not those that join letters, which names are written with. */
const UNNAMED = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** A person's name as a channel gives it, without what a terminal or a reader could obey. Empty when nothing is left. Pure. */
export function cleanName(text: string): string {
  return text.toWellFormed().replace(UNNAMED, ' ').replace(/\s+/g, ' ').trim();
}
