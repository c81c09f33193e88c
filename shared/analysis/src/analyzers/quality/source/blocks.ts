/** Returns, for the offset of each bracket, the offset of its matching bracket; -1 without a match. */
export function matchBrackets(code: string): Int32Array {
  const partners = new Int32Array(code.length).fill(-1);
  const open: number[] = [];
  const openOf: Record<string, number> = { '(': 0, '[': 0, '{': 0 };
  const brackets = /[()[\]{}]/g;
  for (let match = brackets.exec(code); match; match = brackets.exec(code)) {
    const opening = OPENING[match[0]];
    if (opening === undefined) {
      open.push(match.index);
      openOf[match[0]] = (openOf[match[0]] ?? 0) + 1;
      continue;
    }
    // Unclosed brackets inside the pair have no match; a closing bracket without an opening one is ignored.
    while ((openOf[opening] ?? 0) > 0) {
      const start = open.pop() ?? 0;
      const bracket = code.charAt(start);
      openOf[bracket] = (openOf[bracket] ?? 0) - 1;
      if (bracket !== opening) continue;
      partners[start] = match.index;
      partners[match.index] = start;
      break;
    }
  }
  return partners;
}

const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Text before a block, such as `function name()`, with the contents of brackets removed. */
export interface BlockHeader {
  readonly text: string;
  /** Offset of the header: after the preceding statement or the enclosing bracket. */
  readonly from: number;
  /** Offsets of the opening parentheses; the header text has `()` for each. */
  readonly groups: readonly number[];
}

/** Maximum length of a header; a longer one loses its beginning, because the function name is near the end. */
const MAX_HEADER_STEPS = 240;
const MAX_GROUPS = 12;

/** Text after the braces of a type, as in `): { name: string }[] {`. */
const GOES_ON = /^ ?[[>|&{]/;

export function readBlockHeader(code: string, open: number, partners: Int32Array): BlockHeader {
  const parts: string[] = [];
  const groups: number[] = [];
  let at = open - 1;
  let end = open;
  for (let steps = 0; at >= 0 && steps < MAX_HEADER_STEPS && parts.length < 2 * MAX_GROUPS; steps += 1) {
    const char = code.charAt(at);
    if (char === ';' || char === '{' || char === '(' || char === '[') break;
    if (char === '}' && code.charAt(at - 1) !== '{' && !GOES_ON.test(code.slice(at + 1, at + 3))) break;
    const start = partners[at] ?? -1;
    if ((char === ')' || char === ']' || char === '}') && start >= 0) {
      if (char === ')') groups.push(start);
      parts.push(code.slice(at + 1, end), `${code.charAt(start)}${char}`);
      at = start;
      end = at;
    }
    at -= 1;
  }
  parts.push(code.slice(at + 1, end));
  // The header was read backwards.
  return { text: parts.toReversed().join('').trim(), from: at, groups: groups.toReversed() };
}
