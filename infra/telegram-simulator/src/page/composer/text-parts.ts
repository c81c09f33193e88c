/** A Telegram client's maximum message length, in UTF-16 units. */
const MAX_LENGTH = 4_096;

/** Splits a text as clients do: at the last line or word that fits, never inside an emoji. */
export function splitText(text: string): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > MAX_LENGTH) {
    // One more character, because the space after a part is dropped.
    const space = Math.max(rest.lastIndexOf('\n', MAX_LENGTH), rest.lastIndexOf(' ', MAX_LENGTH));
    const hard = /[\ud800-\udbff]/.test(rest[MAX_LENGTH - 1] ?? '') ? MAX_LENGTH - 1 : MAX_LENGTH;
    const cut = space > MAX_LENGTH / 2 ? space : hard;
    parts.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return rest === '' ? parts : [...parts, rest];
}
