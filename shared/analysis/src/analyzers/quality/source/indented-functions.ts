import { matchBrackets } from './blocks.ts';
import type { Language } from './languages.ts';
import { countParameters, createBranchFilter, type MeasuredFunction } from './measured-function.ts';
import type { SourceText } from './read-source.ts';

/** Finds the functions in a language that uses indentation, in source order. */
export function findIndentedFunctions(
  { code, lineStarts }: SourceText,
  language: Language,
): readonly MeasuredFunction[] {
  const found: Mutable[] = [];
  const blocks: Block[] = [];
  const branches = new RegExp(language.branches, 'g');
  const counts = createBranchFilter(code);
  const partners = matchBrackets(code);
  let brackets = 0;
  for (const [index, line] of code.split('\n').entries()) {
    const words = line.trim();
    if (words === '') continue;
    const indent = line.length - line.trimStart().length;
    const name = language.functions.exec(words)?.[1];
    // No function begins inside brackets, so an earlier bracket was misread as open.
    if (name !== undefined) brackets = 0;
    while (brackets === 0 && (blocks.at(-1)?.indent ?? -1) >= indent) blocks.pop();
    if (name !== undefined) {
      const start = (lineStarts[index] ?? 0) + indent;
      const list = code.indexOf('(', start);
      const isIn = list >= 0 && list - start < line.length;
      const parameters = isIn ? countParameters(code, list, partners[list] ?? -1) : 0;
      const opened = { name, start, line: index + 1, lines: 0, complexity: 1, nesting: 0, parameters };
      found.push(opened);
      blocks.push({ indent, owner: opened, depth: 0 });
    } else if (brackets === 0 && language.control.test(words)) {
      const around = blocks.at(-1);
      const depth = (around?.depth ?? 0) + 1;
      if (around?.owner) around.owner.nesting = Math.max(around.owner.nesting, depth);
      blocks.push({ indent, owner: around?.owner ?? null, depth });
    }
    const inside = blocks.at(-1)?.owner;
    if (inside) {
      inside.lines += 1;
      const lineStart = lineStarts[index] ?? 0;
      const counted = [...line.matchAll(branches)].filter(({ 0: word, index: at }) => counts(word, lineStart + at));
      inside.complexity += counted.length;
    }
    brackets = Math.max(0, brackets + countBrackets(line));
  }
  return found;
}

type Mutable = { -readonly [Name in keyof MeasuredFunction]: MeasuredFunction[Name] };

interface Block {
  readonly indent: number;
  readonly owner: Mutable | null;
  readonly depth: number;
}

function countBrackets(line: string): number {
  let depth = 0;
  for (const bracket of line.match(/[()[\]{}]/g) ?? []) depth += '([{'.includes(bracket) ? 1 : -1;
  return depth;
}
