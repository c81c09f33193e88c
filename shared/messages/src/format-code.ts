/** Formats a text as inline code: `1.0.0-3f2a9c1`. Pure. */
export function formatCode(text: string): string {
  return `\`${text.replaceAll('`', 'ˋ')}\``;
}

/** Shows a text in one line, in which a line break is `\n`. Pure. */
export function escapeLines(text: string): string {
  return text.replace(/[\n\r\t]/g, (one) => JSON.stringify(one).slice(1, -1));
}
