import { findCut } from '../../text/cut.ts';
import { wrapCodeBlock, type Section } from './format.ts';

const BETWEEN = '\n\n';

/** Joins sections into messages of at most `each` UTF-16 units, at least one message. The last, above buttons, has at most `last`. */
export function packSections(
  sections: readonly Section[],
  limits: { readonly each: number; readonly last: number },
): readonly string[] {
  const messages: Section[][] = [[]];
  for (const piece of sections.flatMap((section) => cutSection(section, limits.each))) {
    const current = messages.at(-1) ?? [];
    if (current.length === 0 || render([...current, piece]).length <= limits.each) current.push(piece);
    else messages.push([piece]);
  }
  const ending = messages.pop() ?? [];
  return [...messages, ...splitEnding(ending, limits.last)].map(render);
}

/** Splits the last message so that its end fits above buttons: whole sections, else the end of the last one. */
function splitEnding(pieces: readonly Section[], most: number): readonly (readonly Section[])[] {
  if (render(pieces).length <= most) return [pieces];
  const fitting = pieces.findIndex((_, place) => render(pieces.slice(place)).length <= most);
  if (fitting > 0) return [pieces.slice(0, fitting), pieces.slice(fitting)];
  const last = pieces.at(-1) ?? { text: '', isCode: false };
  const { text, isCode } = last;
  let at = findTail(text, text.length - most);
  while (render([{ text: text.slice(at), isCode }]).length > most) at = findTail(text, at + 1);
  const head = { text: text.slice(0, at).trimEnd(), isCode };
  return [[...pieces.slice(0, -1), head], [{ text: text.slice(at), isCode }]];
}

/** The best start of a text's end, not before `least`: after a line, else a word, else between two characters. */
function findTail(text: string, least: number): number {
  const half = least + (text.length - least) / 2;
  for (const sign of ['\n', ' ']) {
    const found = text.indexOf(sign, Math.max(0, least - 1));
    if (found !== -1 && found < half) return found + 1;
  }
  const code = text.charCodeAt(least);
  return code >= 0xdc00 && code <= 0xdfff ? least + 1 : least;
}

/** Cuts a section into pieces that fit into one message each. */
function cutSection({ text, isCode }: Section, most: number): readonly Section[] {
  const pieces: Section[] = [];
  for (let start = 0; start < text.length;) {
    const end = findEnd(text, start, { most, isCode });
    const piece = text.slice(start, end);
    pieces.push({ text: isCode ? piece.replace(/\n$/, '') : piece.trim(), isCode });
    start = end;
  }
  return pieces.filter((piece) => piece.text !== '');
}

function findEnd(text: string, start: number, { most, isCode }: { most: number; isCode: boolean }): number {
  if (render([{ text: text.slice(start), isCode }]).length <= most) return text.length;
  let room = Math.min(most, text.length - start);
  let end = findCut(text, start, start + room);
  // Fences take room, and so do broken-up fences inside the code.
  for (; render([{ text: text.slice(start, end), isCode }]).length > most; end = findCut(text, start, start + room))
    room -= render([{ text: text.slice(start, end), isCode }]).length - most;
  return end;
}

function render(pieces: readonly Section[]): string {
  return pieces.map(({ text, isCode }) => (isCode ? wrapCodeBlock(text) : text)).join(BETWEEN);
}
