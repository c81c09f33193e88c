/** For each opening bracket of a code the place of its closing one, and the other way round; -1 for one without a partner. */
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
    // What stands open inside of it has no partner. One that nothing opened is passed over.
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

/** What stands before a block, with what is in brackets left out: `function name()`. */
export interface Header {
  readonly text: string;
  /** What it begins after: the end of a statement, or the bracket that it stands in. */
  readonly from: number;
  /** Where the pairs of parentheses in it open: the text has `()` for each. */
  readonly groups: readonly number[];
}

/** Longer headers are cut in front: what tells a function stands at the end. */
const MAX_HEADER_STEPS = 240;
const MAX_GROUPS = 12;

/** Behind the braces of a type: `): { name: string }[] {`. */
const GOES_ON = /^ ?[[>|&{]/;

/** The header of the block that a brace opens. */
export function readHeader(code: string, open: number, partners: Int32Array): Header {
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
  // Each part was read from behind.
  return { text: parts.toReversed().join('').trim(), from: at, groups: groups.toReversed() };
}
