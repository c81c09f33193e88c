import { matchBrackets, readBlockHeader, type BlockHeader } from './blocks.ts';
import type { Language } from './languages.ts';
import { countParameters, createBranchFilter, type MeasuredFunction } from './measured-function.ts';
import { getLineNumber, type SourceText } from './read-source.ts';

export function findBracedFunctions(source: SourceText, language: Language): readonly MeasuredFunction[] {
  const code = language.hasPreprocessor ? withoutDirectives(source.code) : source.code;
  const partners = matchBrackets(code);
  const codeBefore = countCodeLines(source);
  const found: OpenFunction[] = [];
  const blocks: Block[] = [];
  const counts = createBranchFilter(code);
  const tokens = new RegExp(`[{}]|${language.branches}`, 'g');
  for (let token = tokens.exec(code); token; token = tokens.exec(code)) {
    const partner = partners[token.index] ?? -1;
    const inside = blocks.at(-1);
    if (token[0] === '{') {
      if (partner < 0) continue;
      const header = readBlockHeader(code, token.index, partners);
      const block = openBlock({ header, inside, language, code, partners, end: partner });
      if (block.owner && block.owner !== inside?.owner) {
        const declaredAt = block.owner.declaredAt < 0 ? token.index : block.owner.declaredAt;
        found.push(Object.assign(block.owner, { start: token.index, declaredAt }));
      }
      blocks.push(block);
    } else if (token[0] === '}') {
      if (inside?.end === token.index) blocks.pop();
    } else if (inside?.owner && counts(token[0], token.index)) inside.owner.complexity += 1;
  }
  const measured = found.map((one) => {
    const last = getLineNumber(source, one.end);
    const allLines = (codeBefore[last] ?? 0) - (codeBefore[getLineNumber(source, one.start) - 1] ?? 0);
    return { ...one, line: getLineNumber(source, one.declaredAt), allLines };
  });
  const linesInside = new Map<OpenFunction, number>();
  for (const [index, { allLines }] of measured.entries()) {
    const parent = found[index]?.parent;
    if (parent) linesInside.set(parent, (linesInside.get(parent) ?? 0) + Math.max(0, allLines - 1));
  }
  return measured.map(({ name, start, line, allLines, complexity, nesting, parameters }, index) => {
    const own = found[index];
    const lines = allLines - ((own && linesInside.get(own)) ?? 0);
    return { name, start, line, lines, complexity, nesting, parameters };
  });
}

interface OpenFunction {
  readonly name: string;
  readonly parameters: number;
  readonly parent: OpenFunction | null;
  readonly end: number;
  start: number;
  /** Offset of the parameter list; -1 when there is none. */
  declaredAt: number;
  complexity: number;
  nesting: number;
}

interface Block {
  readonly end: number;
  readonly owner: OpenFunction | null;
  readonly depth: number;
}

interface BlockContext {
  readonly partners: Int32Array;
  readonly header: BlockHeader;
  readonly inside: Block | undefined;
  readonly language: Language;
  readonly code: string;
  readonly end: number;
}

function openBlock(context: BlockContext): Block {
  const { header, inside, language, end } = context;
  const owner = inside?.owner ?? null;
  const depth = inside?.depth ?? 0;
  const lastLine = header.text.slice(header.text.lastIndexOf('\n') + 1);
  if (language.control.test(lastLine)) {
    if (owner) owner.nesting = Math.max(owner.nesting, depth + 1);
    return { end, owner, depth: depth + 1 };
  }
  const opened = language.isFlat && owner ? null : readFunction(context, owner);
  return opened ? { end, owner: opened, depth: 0 } : { end, owner, depth };
}

/** Words that look like a function declaration but are none, as in `new Thing() {` or `record Point(int x) {`. */
const NO_FUNCTION =
  /\b(?:new|record|class|struct|interface|enum|return|else|when|throw|await|namespace|union)\s+[\w.$<>, ]*\(\)[^()]*$/;
/** Matches the variable or property that names an anonymous function. */
const GIVEN_TO =
  /([\w$]+)\s*(?::[^=]{0,80})?(?:=|:)\s*(?:async\s*)?(?:function\s*(?:\*\s*)?)?(?:<[^()]{0,80}>\s*)?(?:\(\)|[\w$]+)\s*(?::.{0,120})?(?:=>)?$/;

/** Matches an assigned function with a keyword, as in `name = function`, and an optional result type. */
const GIVEN_TO_FUNC = /([\w$]+)\s{0,8}:?=\s{0,8}(?:static\s{1,8})?func(?:tion)?\b[^=]*$/;

function readFunction(
  { header, language, code, partners, end }: BlockContext,
  parent: OpenFunction | null,
): OpenFunction | null {
  const { text } = header;
  const isArrow = language.shape === 'arrow' && text.endsWith('=>');
  const match = isArrow ? null : language.functions.exec(text);
  if (!isArrow && (!match || (language.shape !== 'word' && NO_FUNCTION.test(text)))) return null;
  const own = match?.slice(1).find(Boolean) ?? '';
  const isNamed = own !== '' && own !== 'function';
  if (own === 'new') return null;
  if (match && !isNamed && language.shape !== 'word' && !/\bfunction\b/.test(match[0] + text.slice(-40))) return null;
  const given = (language.shape === 'word' ? GIVEN_TO_FUNC : GIVEN_TO).exec(text)?.[1];
  const name = isNamed ? own : (given ?? nameCallee(code, header.from));
  const from = match ? match.index + match[0].indexOf(own) + own.length : 0;
  const at = isArrow ? text.lastIndexOf('()') : text.indexOf('()', from);
  const group = at < 0 ? undefined : header.groups[text.slice(0, at).split('()').length - 1];
  const parameters = group === undefined ? 0 : countParameters(code, group, partners[group] ?? -1);
  return { name, parameters, parent, end, start: 0, declaredAt: group ?? -1, complexity: 1, nesting: 0 };
}

/** Names a callback after the called function or the assigned variable, as in `describe(…)` or `const save = useCallback(() => {`. */
function nameCallee(code: string, from: number): string {
  if (code.charAt(from) !== '(') return '';
  const match = /(?:([\w$]{1,60})\s*[:=]\s*)?([\w$.]{1,60})\s*$/.exec(code.slice(Math.max(0, from - 128), from));
  return match?.[1] ?? (match?.[2] ? `${match[2]}(…)` : '');
}

function countCodeLines({ code }: SourceText): readonly number[] {
  const counts = [0];
  let count = 0;
  for (const line of code.split('\n')) {
    if (line.trim() !== '') count += 1;
    counts.push(count);
  }
  return counts;
}

/** Blanks preprocessor lines and the `#else` branches, which would open a second set of braces. */
function withoutDirectives(code: string): string {
  // Number of open conditions, counted from the one whose `#else` branch is blanked.
  let open = 0;
  let isContinued = false;
  return code
    .split('\n')
    .map((line) => {
      const isDirective = isContinued || /^\s*#/.test(line);
      isContinued = isDirective && line.trimEnd().endsWith('\\');
      const word = isDirective ? (/^\s*#\s*(if|else|elif|endif)/.exec(line)?.[1] ?? '') : '';
      if (open > 0 && word === 'if') open += 1;
      else if (open > 0 && word === 'endif') open -= 1;
      else if (open === 0 && (word === 'else' || word === 'elif')) open = 1;
      return isDirective || open > 0 ? ' '.repeat(line.length) : line;
    })
    .join('\n');
}
