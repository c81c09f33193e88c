/*
 * Markdown that a model is in the middle of writing. Shown as it is, `**bold` would stand there with its stars and lose them
 * a moment later. So what is open is closed, and marks that mean nothing yet are held back until they do.
 */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A line of which nothing can be seen yet: a bullet, a number, a box to tick, the marks of a heading, a quote or a rule. */
const MARKS_ONLY = /^[\s>]*(?![\s>])(?:(?:[-*+]|\d{1,9}[.)])\s+(?!\s))*(?:\d{1,9}[.)]?|[-*+_=~#`|>]*|\[[ xX]?\]?)\s*$/;
/** Where the text of a line begins. */
const LEAD = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+)*/;
/** The beginning of a link, as far as it may have come. Its text is shown, its address is not text. Not `list[0]` or `[1]`. */
const HALF_LINK = /(?<![\p{L}\p{N}])\[(?!\d+\]?$)([^[\]\n]*)(?:\](?:\([^()\n]*)?)?$/u;

/** The text with all that is open closed, so that it looks as it will when it is whole. */
export function closeMarkdown(text: string): string {
  const lines = text.split('\n');
  const newest = lines.at(-1) ?? '';
  const { fence, after } = findCode(lines.slice(0, -1));
  if (fence !== null) return isMarkOf(newest, fence) ? dropLast(lines) : text;
  if (FENCE.test(newest)) return dropLast(lines);
  const shown = withoutHalfTable(lines);
  while (shown.length > after && MARKS_ONLY.test(shown.at(-1) ?? '')) shown.pop();
  if (shown.length === after) return shown.join('\n');
  const last = shown.findLastIndex((line, at) => at === after || beginsText(line, shown[at - 1] ?? ''));
  const open = shown.slice(last).join('\n');
  const lead = LEAD.exec(open)?.[0] ?? '';
  return [...shown.slice(0, last), lead + closeSpans(open.slice(lead.length))].join('\n');
}

/** The marks of the code block in which these whole lines end, or null; and where the text after the last one begins. */
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

/** Whether this line is, or is about to become, the end of the code block. */
function isMarkOf(line: string, fence: string): boolean {
  const mark = line.trim();
  return mark !== '' && mark === (fence[0] ?? '').repeat(mark.length);
}

function dropLast(lines: readonly string[]): string {
  return lines.slice(0, -1).join('\n');
}

/** A table is shown from its second line on, which makes it one, and whole row by whole row. */
function withoutHalfTable(lines: readonly string[]): string[] {
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

/** Whether spans that are open in the line before cannot go on in this one. */
function beginsText(line: string, before: string): boolean {
  return before.trim() === '' || (LEAD.exec(line)?.[0] ?? '').trim() !== '' || /^\s*#{1,6}\s/.test(before);
}

interface Span {
  readonly mark: string;
  size: number;
}

/** Closes code, bold, italics and strikethrough at the end of a paragraph, innermost first. */
function closeSpans(given: string): string {
  const text = given.replace(HALF_LINK, '$1').trimEnd();
  const open: Span[] = [];
  for (let at = 0; at < text.length;) {
    const char = text[at] ?? '';
    if (char === '\\') {
      if (at === text.length - 1) return close(text.slice(0, at), open);
      at += 2;
      continue;
    }
    if (!'`*_~'.includes(char)) {
      at += 1;
      continue;
    }
    const size = runLength(text, at);
    const end = at + size;
    if (char === '`') {
      const closing = findRun(text, end, size);
      if (closing === -1) return end === text.length ? close(text.slice(0, at), open) : closeCode(text, size, open);
      at = closing + size;
      continue;
    }
    const before = text[at - 1] ?? ' ';
    const after = text[end] ?? ' ';
    const isLast = end === text.length;
    const span = open.findLast((one) => one.mark === char);
    if (span && !/\s/.test(before) && (char !== '_' || !isWord(after))) {
      // A mark that is only half there is held back.
      if (isLast && size < span.size) return close(text.slice(0, at), open);
      span.size -= size;
      if (span.size <= 0) open.splice(open.lastIndexOf(span));
    } else if (isLast && !isWord(before)) {
      return close(text.slice(0, at), open);
    } else if (!/\s/.test(after) && !isWord(before) && (char !== '~' || size === 2)) {
      open.push({ mark: char, size });
    }
    at = end;
  }
  return close(text, open);
}

function close(text: string, open: readonly Span[]): string {
  const marks = open.map((one) => one.mark.repeat(one.size)).reverse();
  return text.trimEnd() + marks.join('');
}

/** Of a mark that closes the code only a part may be there yet. */
function closeCode(text: string, size: number, open: readonly Span[]): string {
  return close(text.replace(/(?<!`)`+$/, '').trimEnd() + '`'.repeat(size), open);
}

function runLength(text: string, at: number): number {
  let end = at;
  while (text[end] === text[at]) end += 1;
  return end - at;
}

/** Where the next run of exactly this many backticks begins, or -1. */
function findRun(text: string, from: number, size: number): number {
  for (let at = text.indexOf('`', from); at !== -1; at = text.indexOf('`', at + runLength(text, at))) {
    if (runLength(text, at) === size) return at;
  }
  return -1;
}

function isWord(char: string): boolean {
  return /[\p{L}\p{N}]/u.test(char);
}
