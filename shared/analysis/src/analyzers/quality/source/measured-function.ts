export interface MeasuredFunction {
  /** Function name; empty for an anonymous function that is not assigned or passed. */
  readonly name: string;
  readonly start: number;
  readonly line: number;
  /** Lines of code, without blank lines, comments and nested functions. */
  readonly lines: number;
  /** Cyclomatic complexity (McCabe, 1976); a `switch` and a chain of equal operators each count as one branch. */
  readonly complexity: number;
  readonly nesting: number;
  /** Number of required positional parameters. */
  readonly parameters: number;
}

const OPERATOR = /^(?:&&|\|\||\?\?|and|or)$/;
/** Tokens that end a condition; an operator after them counts again. */
const ENDS = /[;{}]|[^=!<>]=[^=]|\b(?:return|if|while)\b/;

/** Creates a filter for branches that count; a chain of equal operators, as in `a && b && c`, counts once (Campbell, 2018). */
export function createBranchFilter(code: string): (word: string, index: number) => boolean {
  let last = '';
  let end = 0;
  return (word, index) => {
    const isLike = word === last && OPERATOR.test(word) && !ENDS.test(code.slice(end, index));
    [last, end] = [word, index + word.length];
    return !isLike;
  };
}

/** Maximum length of a parameter list; a longer text is something else. */
const MAX_LIST_LENGTH = 2_000;

/** Counts required parameters between two parentheses, without `self`, defaults, annotated (injected) and keyword-only parameters. */
export function countParameters(code: string, open: number, close: number): number {
  if (close < 0 || close - open > MAX_LIST_LENGTH) return 0;
  const parts: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open + 1; at <= close; at += 1) {
    const char = code.charAt(at);
    if (at === close || (char === ',' && depth === 0)) {
      parts.push(code.slice(from, at).trim());
      from = at + 1;
    } else if ('([{<'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    // The `>` of an arrow `=>` or `->` closes no bracket.
    else if (char === '>' && !'-='.includes(code.charAt(at - 1))) depth -= 1;
  }
  const named = parts.findIndex((part) => part.startsWith('*') && !/\w/.test(part.slice(0, 2)));
  const given = named < 0 ? parts : parts.slice(0, named);
  return given.filter((part) => part !== '' && !/(?<![=!<>])=(?![=>])/.test(part) && !SELF.test(part)).length;
}

const SELF = /^(?:self|cls|&?(?:mut\s+)?self|this\b.*|void|\.{3}.*|\*{1,2}\w*|\/|[[@].*)$/s;
