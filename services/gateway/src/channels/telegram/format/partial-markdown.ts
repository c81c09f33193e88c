/*
 * Shows markdown that a model is still writing: `**bold` would show its stars and lose them later, so open spans are
 * closed, and marks without a meaning yet are held back.
 */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A line with marks only: a bullet, number, checkbox, heading, quote or rule. */
const MARKS_ONLY = /^[\s>]*(?![\s>])(?:(?:[-*+]|\d{1,9}[.)])\s+(?!\s))*(?:\d{1,9}[.)]?|[-*+_=~#`|>]*|\[[ xX]?\]?)\s*$/;
/** The marks before the text of a line. */
const LINE_MARKS = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+)*/;
/** An incomplete link, whose text is shown without its address. `list[0]` and `[1]` are no links. */
const OPEN_LINK = /(?<![\p{L}\p{N}])\[(?!\d+\]?$)([^[\]\n]*)(?:\](?:\([^()\n]*)?)?$/u;

/** Closes open markdown, so that a text being written looks like its final form. */
export function closeMarkdown(text: string): string {
  const lines = text.split('\n');
  const newest = lines.at(-1) ?? '';
  const { fence, after } = findCode(lines.slice(0, -1));
  if (fence !== null) return isClosingFence(newest, fence) ? dropLast(lines) : text;
  if (FENCE.test(newest)) return dropLast(lines);
  const shown = withoutOpenRow(lines);
  while (shown.length > after && MARKS_ONLY.test(shown.at(-1) ?? '')) shown.pop();
  if (shown.length === after) return shown.join('\n');
  const last = shown.findLastIndex((line, at) => at === after || startsParagraph(line, shown[at - 1] ?? ''));
  const open = shown.slice(last).join('\n');
  const lead = LINE_MARKS.exec(open)?.[0] ?? '';
  return [...shown.slice(0, last), lead + closeSpans(open.slice(lead.length))].join('\n');
}

/** Finds the fence of the code block that these lines end in (or null) and the line after the last closed block. */
function findCode(lines: readonly string[]): { readonly fence: string | null; readonly after: number } {
  let fence: string | null = null;
  let after = 0;
  for (const [at, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1] ?? null;
    if (fence === null) fence = mark;
    else if (mark !== null && mark.startsWith(fence) && line.trim() === mark) {
      fence = null;
      after = at + 1;
    }
  }
  return { fence, after };
}

/** True when the line is the closing fence or may become it. */
function isClosingFence(line: string, fence: string): boolean {
  const mark = line.trim();
  return mark !== '' && mark === (fence[0] ?? '').repeat(mark.length);
}

function dropLast(lines: readonly string[]): string {
  return lines.slice(0, -1).join('\n');
}

/** Drops an incomplete table row. A table shows from its second line on, row by row. */
function withoutOpenRow(lines: readonly string[]): string[] {
  const newest = lines.at(-1) ?? '';
  if (newest !== '' && !isRow(newest)) return [...lines];
  const whole = lines.slice(0, -1);
  const rows = whole.length - 1 - whole.findLastIndex((line) => !isRow(line));
  if (rows === 1) return whole.slice(0, -1);
  return newest === '' ? [...lines] : whole;
}

function isRow(line: string): boolean {
  return line.trimStart().startsWith('|');
}

/** True when a span that the line before left open cannot continue in this line. */
function startsParagraph(line: string, before: string): boolean {
  return before.trim() === '' || (LINE_MARKS.exec(line)?.[0] ?? '').trim() !== '' || /^\s*#{1,6}\s/.test(before);
}

interface OpenSpan {
  readonly mark: string;
  size: number;
}

/** Closes code, bold, italics and strikethrough at the end of a paragraph, innermost first. */
function closeSpans(given: string): string {
  const text = given.replace(OPEN_LINK, '$1').trimEnd();
  const open: OpenSpan[] = [];
  for (let at = 0; at < text.length;) {
    const char = text[at] ?? '';
    if (char === '\\') {
      if (at === text.length - 1) return closeMarks(text.slice(0, at), open);
      at += 2;
      continue;
    }
    if (!'`*_~'.includes(char)) {
      at += 1;
      continue;
    }
    const size = getRunLength(text, at);
    const end = at + size;
    if (char === '`') {
      const closing = findRun(text, end, size);
      if (closing === -1)
        return end === text.length ? closeMarks(text.slice(0, at), open) : closeCode(text, size, open);
      at = closing + size;
      continue;
    }
    const before = text[at - 1] ?? ' ';
    const after = text[end] ?? ' ';
    const isLast = end === text.length;
    const span = open.findLast((one) => one.mark === char);
    if (span && !/\s/.test(before) && (char !== '_' || !isWord(after))) {
      // An incomplete closing mark is held back.
      if (isLast && size < span.size) return closeMarks(text.slice(0, at), open);
      span.size -= size;
      if (span.size <= 0) open.splice(open.lastIndexOf(span));
    } else if (isLast && !isWord(before)) {
      return closeMarks(text.slice(0, at), open);
    } else if (!/\s/.test(after) && !isWord(before) && (char !== '~' || size === 2)) {
      open.push({ mark: char, size });
    }
    at = end;
  }
  return closeMarks(text, open);
}

function closeMarks(text: string, open: readonly OpenSpan[]): string {
  const marks = open.map((one) => one.mark.repeat(one.size)).reverse();
  return text.trimEnd() + marks.join('');
}

/** Drops incomplete closing backticks before adding complete ones. */
function closeCode(text: string, size: number, open: readonly OpenSpan[]): string {
  return closeMarks(text.replace(/(?<!`)`+$/, '').trimEnd() + '`'.repeat(size), open);
}

function getRunLength(text: string, at: number): number {
  let end = at;
  while (text[end] === text[at]) end += 1;
  return end - at;
}

function findRun(text: string, from: number, size: number): number {
  for (let at = text.indexOf('`', from); at !== -1; at = text.indexOf('`', at + getRunLength(text, at))) {
    if (getRunLength(text, at) === size) return at;
  }
  return -1;
}

function isWord(char: string): boolean {
  return /[\p{L}\p{N}]/u.test(char);
}
