/** A stretch of markdown that is parsed by itself; `plain` when it must not be parsed at all. */
export interface Chunk {
  readonly text: string;
  readonly plain: boolean;
}

/**
 * The parser's time grows with the square of the unresolved marks in a paragraph and with the depth of nesting:
 * 7,500 times `*a_ ` took 33 s, two thousand nested lists 13 s, and no other person gets an answer meanwhile.
 */
const MAX_MARKS = 250;
const MARKS = /[*_~`[\]<|]/g;
/** Twenty quotes or bullets at the start of one line are no text that a person means. */
const DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){20}/;
/** As deep as indentation may nest before it stops meaning anything. */
const MAX_INDENT = 40;
/** Lines outside of code that are parsed: about 0.5 s. A list of ten thousand items took two, 1,400 nested quotes three. */
const MAX_LINES = 1_500;
/** The quotes and bullets at the start of a line. From the third on each costs as much as a line. */
const NESTING = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t]))+/;
const FREE_NESTING = 2;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A line like this begins a new paragraph whatever comes before it. */
const BULLET = /^ {0,3}[-*+] +\S/;
/** So does the first of a numbered list; the others do only right behind their like. */
const NUMBER = /^(\d{1,9})([.)]) +\S/;
const DELIMITERS = /^ {0,3}\|?(?: *:?-+:? *\|)* *:?-+:?(?: *\|)? *$/;
/** A line that looks like this may end a table although it holds a bar. */
const OTHER_BLOCK = /^(?: {4}| {0,3}(?:[>#<~`_*+-]|\d{1,9}[.)]))/;

type Place = 'text' | 'numbers' | 'table';

/**
 * Cuts markdown into chunks that parse quickly: usually one. Cuts are between lines, never inside fenced code or a table; a
 * single line with too many marks is shown as it is.
 */
export function splitChunks(source: string): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let lines: string[] = [];
  /** Marks of the paragraph so far, at least. */
  let marks = 0;
  let parsed = 0;
  let fence: string | null = null;
  let place: Place = 'text';

  const flush = (): void => {
    if (lines.length > 0) chunks.push({ text: lines.join('\n'), plain: false });
    lines = [];
    marks = 0;
    place = 'text';
  };

  for (const line of source.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? null;
    if (fence !== null) {
      lines.push(line);
      if (mark?.startsWith(fence)) fence = null;
      continue;
    }
    const own = line.match(MARKS)?.length ?? 0;
    const indent = line.trim() === '' ? 0 : line.length - line.trimStart().length;
    if (own > MAX_MARKS || parsed > MAX_LINES || indent > MAX_INDENT || DEEP.test(line)) {
      flush();
      chunks.push({ text: line, plain: true });
      continue;
    }
    place = findPlace(place, line, lines.at(-1));
    if (line.trim() === '' || place !== 'text' || BULLET.test(line)) marks = 0;
    else if (marks + own > MAX_MARKS) flush();
    lines.push(line);
    parsed += weigh(line);
    marks += own;
    fence = mark;
  }
  flush();
  return chunks;
}

function weigh(line: string): number {
  const signs = NESTING.exec(line)?.[0].match(/[->*+.)]/g)?.length ?? 0;
  return 1 + Math.max(0, signs - FREE_NESTING);
}

/** In a table every line is by itself, and in a numbered list every item. */
function findPlace(place: Place, line: string, before: string | undefined): Place {
  if (place === 'table') return line.includes('|') && !OTHER_BLOCK.test(line) ? 'table' : 'text';
  if (before !== undefined && DELIMITERS.test(line) && countCells(line) === countCells(before)) return 'table';
  const [, number, sign] = NUMBER.exec(line) ?? [];
  if (number === '1') return 'numbers';
  return place === 'numbers' && sign !== undefined && NUMBER.exec(before ?? '')?.[2] === sign ? 'numbers' : 'text';
}

/** As many cells as a table would have with this line; 0 when it cannot belong to one. */
function countCells(line: string): number {
  if (!line.includes('|')) return 0;
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).length;
}
