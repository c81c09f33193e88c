import { toEvidence } from '../../evidence.ts';
import { isExample, isTest } from '../../kinds-of-files.ts';
import type { Language } from '../source/languages.ts';
import { getLineNumber, type SourceText } from '../source/read-source.ts';
import { createProblem, lowerSeverity, type Problem } from '../../problem.ts';

/** Finds forgotten debugger statements, debug output, and tests that are focused or skipped. */
export function findLeftovers(path: string, source: SourceText, language: Language): readonly Problem[] {
  const inTest = isTest(path);
  const prints = inTest || isExample(path) ? [] : findAll(source, PRINTS[language.name]);
  const severity = inTest ? lowerSeverity('medium') : 'medium';
  const stops = [...(PATCHES_DEBUGGER.test(source.code) ? [] : findAll(source, STOPS[language.name])), ...prints].map(
    (match) => createMatchProblem('debug-leftover', severity, match),
  );
  return [...stops, ...(inTest ? [...findFocused(source, language), ...findSkipped(source, language)] : [])];
}

interface CodeMatch {
  readonly text: string;
  readonly line: number;
}

const STOPS: Readonly<Record<string, RegExp>> = {
  JavaScript: /^[ \t]{0,200}debugger(?=[ \t]*(?:;[ \t]*)?$)/gm,
  TypeScript: /^[ \t]{0,200}debugger(?=[ \t]*(?:;[ \t]*)?$)/gm,
  Python:
    /^[ \t]{0,200}(?:breakpoint\(\)|i?pdb\.set_trace\(\)|import i?pdb[ \t]{0,20};[ \t]{0,20}i?pdb\.set_trace\(\))/gm,
  Ruby: /^[ \t]{0,200}(?:binding\.(?:pry|irb)|byebug)(?=[ \t]*$)/gm,
  PHP: /^[ \t]{0,200}(?:dd|xdebug_break)(?=\()/gm,
  'C#': /(?<![\w.])(?:System\.Diagnostics\.)?Debugger\.(?:Break|Launch)(?=\(\))/g,
  Go: /(?<![\w.])runtime\.Breakpoint(?=\(\))/g,
};

/** A test that replaces the debugger calls it on purpose. */
const PATCHES_DEBUGGER = /\b(?:patch(?:\.object)?|setattr)\([^()\n]{0,80}\b(?:i?pdb|breakpoint)\b/;

/** Debug output by language. Tests and examples may print. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  PHP: /^[ \t]{0,200}var_dump(?=\()/gm,
  Rust: /(?<![\w:])dbg!(?=\s?[({[])/g,
};

/** Focused tests by language; a focused test disables all other tests of its file. */
const FOCUSED: Readonly<Record<string, RegExp>> = {
  JavaScript: /(?<![\w$.])(?:(?:describe|it|test|context|suite|specify)\.only|fdescribe|fit)(?=[ \t]*[(`.])/g,
  Ruby: /^[ \t]{0,200}(?:fdescribe|fcontext|fit)(?=[ (]["])/gm,
};

const SKIPPED: Readonly<Record<string, RegExp>> = {
  JavaScript: /(?<![\w$.])(?:(?:describe|it|test|context|suite|specify)\.skip|xdescribe|xit|xtest)(?=[ \t]*[(`.])/g,
  Ruby: /^[ \t]{0,200}(?:xdescribe|xcontext|xit)(?=[ (]["])/gm,
  Python: /^[ \t]{0,200}@(?:pytest\.mark|unittest)\.skip(?!\w)/gm,
  Java: /^[ \t]{0,200}@(?:Disabled|Ignore)(?!\w)/gm,
  Kotlin: /^[ \t]{0,200}@(?:Disabled|Ignore)(?!\w)/gm,
  'C#': /\[(?:Fact|Theory)\(\s*Skip\s*=|^[ \t]{0,200}\[Ignore(?!\w)/gm,
  Rust: /^[ \t]{0,200}#\[ignore(?!\w)/gm,
};

/** Test frameworks of JavaScript are used in TypeScript too. */
const testsOf = (table: Readonly<Record<string, RegExp>>, { name }: Language): RegExp | undefined =>
  table[name === 'TypeScript' ? 'JavaScript' : name];

function findFocused(source: SourceText, language: Language): readonly Problem[] {
  return findAll(source, testsOf(FOCUSED, language)).map((match) =>
    createMatchProblem('focused-test', 'medium', match),
  );
}

function createMatchProblem(rule: string, severity: Problem['severity'], { text, line }: CodeMatch): Problem {
  return createProblem(rule, severity, { line, evidence: text, values: { what: text }, identity: text });
}

function findSkipped(source: SourceText, language: Language): readonly Problem[] {
  const [first, ...more] = findAll(source, testsOf(SKIPPED, language));
  if (!first) return [];
  const { line, text: evidence } = first;
  return [createProblem('skipped-test', 'info', { line, evidence, values: { count: more.length + 1 } })];
}

function findAll(source: SourceText, pattern: RegExp | undefined): readonly CodeMatch[] {
  if (!pattern) return [];
  return [...source.code.matchAll(pattern)].map((match) => ({
    text: toEvidence(match[0]),
    line: getLineNumber(source, match.index),
  }));
}

/** Finds an unresolved merge conflict: three conflict markers at line starts, in order. */
export function findMergeConflict(text: string): Problem | null {
  if (!text.includes('<<<<<<< ')) return null;
  let expected = 0;
  let startLine = 0;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('<<<<<<< ')) [expected, startLine] = [1, index + 1];
    else if (expected === 1 && /^={7}\r?$/.test(line)) expected = 2;
    else if (expected === 2 && line.startsWith('>>>>>>> '))
      return createProblem('merge-conflict', 'high', { line: startLine, evidence: '<<<<<<<' });
  }
  return null;
}
