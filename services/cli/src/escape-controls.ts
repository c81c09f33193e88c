/** What a terminal obeys, and what turns the direction of writing; a line's end and a tab are ours. */
const OBEYED = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Text for a terminal: people choose names, and programs write logs, so nothing of it may be a command. Each such character is shown as
 * JSON writes it, which leaves JSON what it was. Pure.
 */
export function escapeControls(text: string): string {
  return text.replace(OBEYED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
