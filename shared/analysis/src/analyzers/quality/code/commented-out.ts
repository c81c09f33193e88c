import { toEvidence } from '../../evidence.ts';
import type { Language } from '../source/languages.ts';
import { getLineNumber, type SourceText } from '../source/read-source.ts';
import { createProblem, type Problem } from '../../problem.ts';

/** Minimum lines of a comment; a shorter comment may quote code as an example. */
const MIN_LINES = 6;
const CODE_SHARE = 0.7;
const LEAST_STATEMENTS = 3;
/** Line endings that are common in code and rare in sentences. */
const ENDS_AS_CODE = /[;{}]$|\)\s*=>$|^\}\s*(?:else|catch|finally)\b|\),?$/;

/** Finds runs of `//` lines that contain code, in languages whose statements end in `;`. */
export function findCommentedOut(source: SourceText, language: Language): readonly Problem[] {
  if (language.shape !== 'parentheses' && language.shape !== 'arrow' && language.name !== 'PHP') return [];
  return readRuns(source)
    .filter((lines) => {
      const statements = lines.filter(({ text }) => /[;{}]$/.test(text) && !/^[@*]/.test(text)).length;
      const code = lines.filter(({ text }) => ENDS_AS_CODE.test(text)).length;
      const prose = lines.some(({ text }) => /^(?:example|usage|e\.g\.|for example|like this|```)/i.test(text));
      return !prose && statements >= LEAST_STATEMENTS && code / lines.length >= CODE_SHARE;
    })
    .map((lines) => {
      const { line, text } = lines[0] ?? { line: 1, text: '' };
      const evidence = toEvidence(text);
      const values = { lines: lines.length };
      return createProblem('commented-out-code', 'info', { line, evidence, values, identity: evidence });
    });
}

interface CommentLine {
  readonly line: number;
  readonly text: string;
}

/** Groups consecutive lines that hold only a `//` comment; skips empty comments. */
function readRuns(source: SourceText): readonly (readonly CommentLine[])[] {
  const runs: CommentLine[][] = [];
  let last = -1;
  for (const { start, end } of source.comments) {
    // `///` and `//!` begin documentation comments.
    if (!/^\/\/(?![/!])/.test(source.text.slice(start, start + 3))) continue;
    const line = getLineNumber(source, start);
    if (source.text.slice(source.lineStarts[line - 1], start).trim() !== '') continue;
    const text = source.text.slice(start + 2, Math.min(end, start + 300)).trim();
    if (line !== last + 1) runs.push([]);
    last = line;
    if (text !== '') runs.at(-1)?.push({ line, text });
  }
  return runs.filter(({ length }) => length >= MIN_LINES);
}
