import { toEvidence } from '../../evidence.ts';
import type { Language } from '../source/languages.ts';
import { lineOf, type Source } from '../source/read-source.ts';
import type { Problem } from '../../problem.ts';

/** So many lines of comment in a row, and so many of them code, are no example in a sentence. */
const LEAST_LINES = 6;
const CODE_SHARE = 0.7;
const LEAST_STATEMENTS = 3;
/** What hardly any sentence ends with. */
const ENDS_AS_CODE = /[;{}]$|\)\s*=>$|^\}\s*(?:else|catch|finally)\b|\),?$/;

/** Runs of `//` lines that hold code: it is dead, nobody checks it, and the history has it. For languages whose statements end in `;`. */
export function findCommentedOut(source: Source, language: Language): readonly Problem[] {
  if (language.shape !== 'parentheses' && language.shape !== 'arrow' && language.name !== 'PHP') return [];
  return readRuns(source)
    .filter((lines) => {
      const statements = lines.filter(({ text }) => /[;{}]$/.test(text) && !/^[@*]/.test(text)).length;
      const code = lines.filter(({ text }) => ENDS_AS_CODE.test(text)).length;
      const prose = lines.some(({ text }) => /^(?:example|usage|e\.g\.|for example|like this|```)/i.test(text));
      return !prose && statements >= LEAST_STATEMENTS && code / lines.length >= CODE_SHARE;
    })
    .map(([first, ...more]) => ({
      rule: 'commented-out-code',
      severity: 'info',
      line: first?.line ?? 1,
      evidence: toEvidence(first?.text ?? ''),
      values: { lines: more.length + 1 },
      identity: toEvidence(first?.text ?? ''),
    }));
}

interface CommentLine {
  readonly line: number;
  readonly text: string;
}

/** Lines that are a `//` comment and nothing else, where they follow each other; blank comments are left out. */
function readRuns(source: Source): readonly (readonly CommentLine[])[] {
  const runs: CommentLine[][] = [];
  let last = -1;
  for (const { start, end } of source.comments) {
    // Three slashes document.
    if (!/^\/\/(?![/!])/.test(source.text.slice(start, start + 3))) continue;
    const line = lineOf(source, start);
    if (source.text.slice(source.lineStarts[line - 1], start).trim() !== '') continue;
    const text = source.text.slice(start + 2, Math.min(end, start + 300)).trim();
    if (line !== last + 1) runs.push([]);
    last = line;
    if (text !== '') runs.at(-1)?.push({ line, text });
  }
  return runs.filter(({ length }) => length >= LEAST_LINES);
}
