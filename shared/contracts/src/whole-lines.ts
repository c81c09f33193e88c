/** Takes as many whole lines from the beginning of a text as fit into `limit` characters. Only a first line that is longer is cut. Pure. */
export function takeWholeLines(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.lastIndexOf('\n', limit);
  return text.slice(0, end <= 0 ? limit : end);
}
