const SEGMENTER = new Intl.Segmenter();

/**
 * The best place for a cut after `start` and up to `most`: after a line, else after a word, if that leaves more than half of
 * the room used; else between two characters as people see them, so that no emoji or accent is torn off.
 */
export function findCut(text: string, start: number, most: number): number {
  const least = start + Math.floor((most - start) / 2);
  const line = text.lastIndexOf('\n', most - 1);
  if (line > least) return line + 1;
  const space = text.lastIndexOf(' ', most - 1);
  if (space > least) return space + 1;
  return avoidCharacter(text, start, most);
}

/** How far a text may go from `start` until it has used up so many bytes of UTF-8. */
export function findReach(text: string, start: number, bytes: number): number {
  // No character takes more than three bytes for each of its UTF-16 units.
  if ((text.length - start) * 3 <= bytes) return text.length;
  let at = start;
  let left = bytes;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    left -= bytesOf(code);
    if (left < 0) return at;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

/** Far enough to see whether the character at a cut goes on. */
const AHEAD = 2;

/** The last place up to `most` that is not inside a character; a pile of accents that is longer than the room is cut. */
function avoidCharacter(text: string, start: number, most: number): number {
  // From the start, where a character surely begins: flags in a row can be told apart only from the first one on.
  const inside = SEGMENTER.segment(text.slice(start, most + AHEAD)).containing(most - start);
  const cut = start + (inside?.index ?? 0);
  if (cut > start) return cut;
  return isLowSurrogate(text, most) && most - 1 > start ? most - 1 : most;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
