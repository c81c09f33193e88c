/** Longer lists are not parameter lists. */
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
    // The `>` of an arrow type closes no bracket.
    else if (char === '>' && !'-='.includes(code.charAt(at - 1))) depth -= 1;
  }
  const named = parts.findIndex((part) => part.startsWith('*') && !/\w/.test(part.slice(0, 2)));
  const given = named < 0 ? parts : parts.slice(0, named);
  return given.filter((part) => part !== '' && !/(?<![=!<>])=(?![=>])/.test(part) && !SELF.test(part)).length;
}

const SELF = /^(?:self|cls|&?(?:mut\s+)?self|this\b.*|void|\.{3}.*|\*{1,2}\w*|\/|[[@].*)$/s;
