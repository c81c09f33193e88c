import type { Analyzer } from '../../../analyzer.ts';
import { isDocumentation, isExample, isGenerated, isTest, isVendored } from '../../kinds-of-files.ts';
import { findLanguage, type Language } from '../source/languages.ts';
import { measureFunctions } from '../source/measure.ts';
import { readSource, type SourceText } from '../source/read-source.ts';
import { findCommentedOut } from './commented-out.ts';
import { findLeftovers, findMergeConflict } from './leftovers.ts';
import { findLongAndComplex } from './long-and-complex.ts';
import { createProblem, lowerSeverity, numberDuplicates, type Problem } from '../../problem.ts';
import { findSwallowedErrors } from './swallowed-errors.ts';

export type CodeFacts = {
  /** Language of the file; empty when it is not supported. */
  readonly language: string;
  readonly isTest: boolean;
  readonly lines: number;
  readonly commentLines: number;
  readonly functions: number;
  /** Number of functions with a complexity over 10, McCabe's limit. */
  readonly complexFunctions: number;
  readonly complexLines: number;
  /** Number of comments with TODO, FIXME, HACK or XXX. */
  readonly notes: number;
  readonly problems: readonly Problem[];
};

export type CodeSummary = {
  readonly files: number;
  readonly lines: number;
  readonly testLines: number;
  readonly commentLines: number;
  readonly functions: number;
  readonly complexFunctions: number;
  readonly complexLines: number;
  readonly notes: number;
  /** Lines of product code, without tests, by language; the largest comes first. */
  readonly languages: readonly { readonly name: string; readonly lines: number }[];
};

const MAX_PROBLEMS = 60;
/** A file with at least this many TODO comments gets a finding. */
const MANY_NOTES = 10;
const REASONABLE_COMPLEXITY = 10;

/** Measures the size and complexity of code in thirteen languages, and finds leftovers. Needs no parsers, which hostile files crash. */
export const CODE_ANALYZER: Analyzer<CodeFacts> = {
  name: 'code',
  version: 3,
  reach: 'commit',
  wants: ({ path }) => !isVendored(path) && !isGenerated(path) && !isDocumentation(path),
  inspect(path, text) {
    const language = findLanguage(path);
    const conflict = isTest(path) || isExample(path) ? null : findMergeConflict(text);
    if (!language || isGenerated(path, text) || isVendored(path, text))
      return conflict ? { ...NOTHING, problems: [conflict] } : null;
    const source = readSource(text, language);
    const functions = measureFunctions(source, language);
    const lines = countLines(source.code);
    const complex = functions.filter(({ complexity }) => complexity > REASONABLE_COMPLEXITY);
    const notes = countNotes(source);
    const problems = [
      ...(conflict ? [conflict] : []),
      ...findLeftovers(path, source, language),
      ...(isTest(path) ? [] : findInProduct(path, source, { language, functions, lines, notes })),
    ];
    return {
      language: language.name,
      isTest: isTest(path),
      lines,
      commentLines: countLines(text) - lines,
      functions: functions.length,
      complexFunctions: complex.length,
      complexLines: complex.reduce((sum, one) => sum + one.lines, 0),
      notes,
      problems: numberDuplicates(problems).slice(0, MAX_PROBLEMS),
    };
  },
  conclude(noted) {
    const found = noted.flatMap(({ path, facts }) =>
      facts.problems.map(({ rule, ...problem }) => ({ ...problem, path, rule: `code/${rule}` })),
    );
    return { found, summary: summarize(noted.map(({ facts }) => facts)) };
  },
};

const NOTHING: CodeFacts = {
  language: '',
  isTest: false,
  lines: 0,
  commentLines: 0,
  functions: 0,
  complexFunctions: 0,
  complexLines: 0,
  notes: 0,
  problems: [],
};

interface Measured {
  readonly language: Language;
  readonly functions: ReturnType<typeof measureFunctions>;
  readonly lines: number;
  readonly notes: number;
}

/** Finds problems of product code; in examples they are less severe. */
function findInProduct(
  path: string,
  source: SourceText,
  { language, functions, lines, notes }: Measured,
): readonly Problem[] {
  const problems: readonly Problem[] = [
    ...findLongAndComplex(source, functions, language, lines),
    ...findSwallowedErrors(source, language),
    ...findCommentedOut(source, language),
    ...(notes >= MANY_NOTES ? [createProblem('open-notes', 'info', { values: { count: notes } })] : []),
  ];
  return isExample(path) ? problems.map((one) => ({ ...one, severity: lowerSeverity(one.severity) })) : problems;
}

function countLines(text: string): number {
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

function countNotes({ text, comments }: SourceText): number {
  let count = 0;
  for (const { start, end } of comments)
    count += text.slice(start, end).match(/\b(?:TODO|FIXME|HACK|XXX)\b/g)?.length ?? 0;
  return count;
}

type Figure = Exclude<keyof CodeFacts, 'language' | 'isTest' | 'problems'>;

function sum(files: readonly CodeFacts[], figure: Figure): number {
  return files.reduce((all, one) => all + one[figure], 0);
}

function summarize(facts: readonly CodeFacts[]): CodeSummary {
  const measured = facts.filter(({ language }) => language !== '');
  const product = measured.filter((one) => !one.isTest);
  const languages = [...new Set(product.map(({ language }) => language))].map((name) => {
    const files = product.filter(({ language }) => language === name);
    return { name, lines: sum(files, 'lines') };
  });
  const tests = measured.filter((one) => one.isTest);
  return {
    files: measured.length,
    lines: sum(product, 'lines'),
    testLines: sum(tests, 'lines'),
    commentLines: sum(product, 'commentLines'),
    functions: sum(product, 'functions'),
    complexFunctions: sum(product, 'complexFunctions'),
    complexLines: sum(product, 'complexLines'),
    notes: sum(product, 'notes'),
    languages: languages.toSorted((one, other) => other.lines - one.lines || (one.name < other.name ? -1 : 1)),
  };
}
