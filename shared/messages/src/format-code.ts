/** Formats a text as inline code: `1.0.0-3f2a9c1`. Pure. */
export function formatCode(text: string): string {
  return `\`${text.replaceAll('`', 'ˋ')}\``;
}
