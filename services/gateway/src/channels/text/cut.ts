const SEGMENTER = new Intl.Segmenter();

/** The best cut from `start` to `most`: after a line or word, if over half of the room is used; else between two characters. */
export function findCut(text: string, start: number, most: number): number {
  const least = start + Math.floor((most - start) / 2);
  const line = text.lastIndexOf('\n', most - 1);
  if (line > least) return line + 1;
  const space = text.lastIndexOf(' ', most - 1);
  if (space > least) return space + 1;
  return findCharacterBoundary(text, start, most);
}

/** The offset at which the text from `start` has used `bytes` bytes of UTF-8. */
export function findByteOffset(text: string, start: number, bytes: number): number {
  // No character takes more than three bytes per UTF-16 unit.
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

/** Enough to see whether the character at a cut continues. */
const LOOK_AHEAD = 2;

/** The last offset up to `most` between two characters. A pile of accents longer than the room is cut. */
function findCharacterBoundary(text: string, start: number, most: number): number {
  // Segmented from the start, because flags in a row can only be told apart from the first one on.
  const inside = SEGMENTER.segment(text.slice(start, most + LOOK_AHEAD)).containing(most - start);
  const cut = start + (inside?.index ?? 0);
  if (cut > start) return cut;
  return isLowSurrogate(text, most) && most - 1 > start ? most - 1 : most;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
