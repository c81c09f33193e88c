/** Control characters and direction marks, except line feed and tab, which we write. */
const CONTROLS = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Escapes control characters of names and logs, so that a terminal does not obey them. Uses JSON's notation, so JSON stays valid. Pure. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
