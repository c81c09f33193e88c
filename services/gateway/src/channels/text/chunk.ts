/** Markdown that is parsed separately; `plain` text must not be parsed. */
export interface MarkdownChunk {
  readonly text: string;
  readonly plain: boolean;
}

/** Parsing blocks all other chats, and takes time with the square of a paragraph's unresolved marks: 33 s for 7,500 × `*a_ `. */
const MAX_MARKS = 250;
const MARKS = /[*_~`[\]<|]/g;
/** Nobody means twenty quotes or bullets at the start of a line. */
const DEEP_NESTING = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){20}/;
/** Deeper indentation has no meaning. */
const MAX_INDENT = 40;
/** The most lines parsed outside of code, about 0.5 s. Ten thousand list items take two seconds, 1,400 nested quotes three. */
const MAX_LINES = 1_500;
/** Quotes and bullets at the start of a line. From the third on, each costs as much as a line. */
const NESTING = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t]))+/;
const FREE_NESTING = 2;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A line that begins a new paragraph in any context. */
const BULLET = /^ {0,3}[-*+] +\S/;
/** The first item of a numbered list also begins a paragraph; later items only after another item. */
const NUMBER = /^(\d{1,9})([.)]) +\S/;
const DELIMITERS = /^ {0,3}\|?(?: *:?-+:? *\|)* *:?-+:?(?: *\|)? *$/;
/** A line that may end a table although it contains a bar. */
const OTHER_BLOCK = /^(?: {4}| {0,3}(?:[>#<~`_*+-]|\d{1,9}[.)]))/;

type ChunkContext = 'text' | 'numbers' | 'table';

/** Cuts markdown into chunks that parse quickly, never in fenced code or a table. A line with too many marks becomes plain. */
export function splitIntoChunks(source: string): readonly MarkdownChunk[] {
  const chunks: MarkdownChunk[] = [];
  let lines: string[] = [];
  /** At least this many marks are in the current paragraph so far. */
  let marks = 0;
  let parsed = 0;
  let fence: string | null = null;
  let place: ChunkContext = 'text';

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
    if (own > MAX_MARKS || parsed > MAX_LINES || indent > MAX_INDENT || DEEP_NESTING.test(line)) {
      flush();
      chunks.push({ text: line, plain: true });
      continue;
    }
    place = findContext(place, line, lines.at(-1));
    if (line.trim() === '' || place !== 'text' || BULLET.test(line)) marks = 0;
    else if (marks + own > MAX_MARKS) flush();
    lines.push(line);
    parsed += countParsedLines(line);
    marks += own;
    fence = mark;
  }
  flush();
  return chunks;
}

function countParsedLines(line: string): number {
  const signs = NESTING.exec(line)?.[0].match(/[->*+.)]/g)?.length ?? 0;
  return 1 + Math.max(0, signs - FREE_NESTING);
}

/** Every line of a table and every item of a numbered list starts a paragraph. */
function findContext(place: ChunkContext, line: string, before: string | undefined): ChunkContext {
  if (place === 'table') return line.includes('|') && !OTHER_BLOCK.test(line) ? 'table' : 'text';
  if (before !== undefined && DELIMITERS.test(line) && countCells(line) === countCells(before)) return 'table';
  const [, number, sign] = NUMBER.exec(line) ?? [];
  if (number === '1') return 'numbers';
  return place === 'numbers' && sign !== undefined && NUMBER.exec(before ?? '')?.[2] === sign ? 'numbers' : 'text';
}

function countCells(line: string): number {
  if (!line.includes('|')) return 0;
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).length;
}
