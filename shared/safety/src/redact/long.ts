import { redactText } from './redact.ts';

/** Characters redacted before yielding to other work: some milliseconds. */
const PIECE_LENGTH = 128 * 1024;
const BEGIN = /-----BEGIN [^\n]{0,60}-----(?![\s\S]*-----END )/;

/** Redacts a text of any length, such as a file, and yields in between. Cuts at line ends, never within a key. */
export async function redactLongText(text: string): Promise<string> {
  const pieces: string[] = [];
  let from = 0;
  while (from < text.length) {
    const to = findPieceEnd(text, from);
    pieces.push(redactText(text.slice(from, to)));
    from = to;
    if (from < text.length) await new Promise((resolve) => setImmediate(resolve));
  }
  return pieces.join('');
}

function findPieceEnd(text: string, from: number): number {
  if (text.length - from <= PIECE_LENGTH) return text.length;
  const lastLine = text.lastIndexOf('\n', from + PIECE_LENGTH) + 1;
  const cut = lastLine > from ? lastLine : from + PIECE_LENGTH;
  const key = text.slice(from, cut).lastIndexOf('-----BEGIN ');
  if (key < 0 || !BEGIN.test(text.slice(from + key, cut))) return cut;
  const end = text.indexOf('-----END ', cut);
  // A private key is never split: the text is cut before the key, or after its end.
  if (key > 0) return from + key;
  return end < 0 ? text.length : Math.min(text.length, end + 80);
}
