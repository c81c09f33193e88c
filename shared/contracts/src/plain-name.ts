/** A name or a title inside a sentence of ours, as Markdown: one line, and no name formats our text. Pure. */
export function plainName(text: string): string {
  return text.replace(/[\\`*_[\]<>~|#]/g, '\\$&').replace(/\s+/g, ' ');
}
