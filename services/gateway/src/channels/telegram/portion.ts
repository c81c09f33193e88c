/** A stretch of markdown that is parsed by itself; `plain` when it must not be parsed at all. */
export interface Portion {
  readonly text: string;
  readonly plain: boolean;
}

/**
 * The parser's time grows with the square of the unresolved marks in a paragraph and with the depth of nesting:
 * 7,500 times `*a_ ` took 33 s, two thousand nested lists 13 s, and meanwhile nobody else gets an answer.
 */
const MAX_MARKS = 250;
const MARKS = /[*_~`[\]<|]/g;
/** Twenty quotes or bullets at the start of one line are no text that a person means. */
const DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){20}/;
/** As deep as indentation may nest before it stops meaning anything. */
const MAX_INDENT = 40;
/** Lines outside of code that are parsed: about 0.3 s. A list of ten thousand items took two. */
const MAX_LINES = 1_500;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Cuts markdown into portions that parse quickly: usually one. Cuts are between lines, never inside fenced code; a single
 * line with too many marks is shown as it is.
 */
export function cutPortions(source: string): readonly Portion[] {
  const portions: Portion[] = [];
  let lines: string[] = [];
  let marks = 0;
  let parsed = 0;
  let fence: string | null = null;

  const flush = (): void => {
    if (lines.length > 0) portions.push({ text: lines.join('\n'), plain: false });
    lines = [];
    marks = 0;
  };

  for (const line of source.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? null;
    if (fence !== null) {
      lines.push(line);
      if (mark?.startsWith(fence)) fence = null;
      continue;
    }
    const own = line.match(MARKS)?.length ?? 0;
    const indent = line.length - line.trimStart().length;
    if (own > MAX_MARKS || parsed > MAX_LINES || indent > MAX_INDENT || DEEP.test(line)) {
      flush();
      portions.push({ text: line, plain: true });
      continue;
    }
    if (marks + own > MAX_MARKS) flush();
    lines.push(line);
    parsed += 1;
    marks += own;
    fence = mark;
  }
  flush();
  return portions;
}
