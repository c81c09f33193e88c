import { redactText } from './redact.ts';

/** So much is read at once before others get their turn: some milliseconds. */
const PIECE = 128 * 1024;
const BEGIN = /-----BEGIN [^\n]{0,60}-----(?![\s\S]*-----END )/;

/** Redacts a text of any length, such as a file, and lets others run in between. Cuts at ends of lines, never within a key. */
export async function redactLongText(text: string): Promise<string> {
  const pieces: string[] = [];
  let from = 0;
  while (from < text.length) {
    const to = endOfPiece(text, from);
    pieces.push(redactText(text.slice(from, to)));
    from = to;
    if (from < text.length) await new Promise((resolve) => setImmediate(resolve));
  }
  return pieces.join('');
}

function endOfPiece(text: string, from: number): number {
  if (text.length - from <= PIECE) return text.length;
  const lastLine = text.lastIndexOf('\n', from + PIECE) + 1;
  const cut = lastLine > from ? lastLine : from + PIECE;
  const key = text.slice(from, cut).lastIndexOf('-----BEGIN ');
  if (key < 0 || !BEGIN.test(text.slice(from + key, cut))) return cut;
  const end = text.indexOf('-----END ', cut);
  // A key that begins in this piece ends in it too, or takes the rest along.
  if (key > 0) return from + key;
  return end < 0 ? text.length : Math.min(text.length, end + 80);
}
