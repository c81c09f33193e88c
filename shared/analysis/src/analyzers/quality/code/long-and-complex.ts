import { toEvidence } from '../../evidence.ts';
import type { Language } from '../source/languages.ts';
import type { MeasuredFunction } from '../source/measured-function.ts';
import type { Source } from '../source/read-source.ts';
import type { Problem } from '../../problem.ts';

/**
 * Ways through a function. McCabe took 10 as the limit of what is reasonable; the Software Improvement Group rates over 20 as high risk and
 * over 50 as untestable (Heitlager, Kuipers, Visser, "A Practical Model for Measuring Maintainability", 2007). We name the latter two.
 */
const COMPLEX = 20;
const UNTESTABLE = 50;
/** Lines of code of a function: SonarQube's default (rule S138). One without decisions is a list, and long lists are easy to read. */
const LONG_FUNCTION_LINES = 100;
const LONG_FUNCTION_COMPLEXITY = 10;
/** SonarQube's default is 3 (rule S134), which many readable functions break; deeper than 5 hardly any does. */
const DEEP = 5;
/** SonarQube's default (rule S107). */
const MANY_PARAMETERS = 7;
/** Lines of a file: SonarQube's default (rule S104). */
const LONG_FILE_LINES = 1_000;

/** Functions and files that are hard to change because of their size or shape. A function is named once, for the worst of its shapes. */
export function findLongAndComplex(
  source: Source,
  functions: readonly MeasuredFunction[],
  language: Language,
  linesOfCode: number,
): readonly Problem[] {
  const types = readTypeNames(source);
  const found = functions.flatMap((one) => {
    // A test that lies beside what it tests.
    if (/^test_|^test[A-Z]|[a-z\d]Test$|_test$/.test(one.name)) return [];
    const shape = judgeShape(one);
    const parameters = one.parameters > MANY_PARAMETERS && mayChooseParameters(one, { source, language, types });
    const at = {
      line: one.line,
      evidence: toEvidence(readHeaderLine(source, one)),
      identity: one.name,
    };
    const name = toEvidence(one.name) || `${at.line}`;
    return [
      ...(shape ? [{ ...at, ...shape, values: { ...shape.values, name } }] : []),
      ...(parameters
        ? [{ ...at, rule: 'many-parameters', severity: 'low' as const, values: { name, count: one.parameters } }]
        : []),
    ];
  });
  // A long table is easy to read.
  if (linesOfCode <= LONG_FILE_LINES || functions.length === 0) return found;
  const file: Problem = {
    rule: 'long-file',
    severity: 'low',
    line: null,
    evidence: '',
    values: { lines: linesOfCode },
    identity: '',
  };
  return [file, ...found];
}

function judgeShape({
  complexity,
  lines,
  nesting,
}: MeasuredFunction): Pick<Problem, 'rule' | 'severity' | 'values'> | null {
  if (complexity > COMPLEX)
    return {
      rule: 'complex-function',
      severity: complexity > UNTESTABLE ? 'medium' : 'low',
      values: { complexity, lines },
    };
  if (lines > LONG_FUNCTION_LINES && complexity >= LONG_FUNCTION_COMPLEXITY)
    return { rule: 'long-function', severity: 'low', values: { lines } };
  return nesting > DEEP ? { rule: 'deep-nesting', severity: 'low', values: { depth: nesting } } : null;
}

interface Context {
  readonly source: Source;
  readonly language: Language;
  readonly types: ReadonlySet<string>;
}

/**
 * A constructor takes what its class depends on, a function with a decorator what a framework gives, and Swift and calls with names do not
 * depend on the order.
 */
function mayChooseParameters(one: MeasuredFunction, { source, language, types }: Context): boolean {
  if (/^(?:constructor|__init__|__new__|__construct|initialize|init)$/.test(one.name) || types.has(one.name))
    return false;
  if (language.name === 'Swift') return false;
  if (language.name !== 'Python') return true;
  const lineStart = source.lineStarts[one.line - 2] ?? 0;
  return one.line < 2 || !/^\s*(?:@|\))/.test(source.code.slice(lineStart, one.start));
}

/** Names of classes: a function that is called so makes one. */
function readTypeNames({ code }: Source): ReadonlySet<string> {
  return new Set([...code.matchAll(/\b(?:class|struct|record|enum)\s+(\w+)/g)].map(([, name]) => name ?? ''));
}

/** The line in which a function is declared, without the texts in it. */
function readHeaderLine({ code, lineStarts }: Source, { line }: MeasuredFunction): string {
  const read = (from: number): string => code.slice(lineStarts[from - 1] ?? 0, lineStarts[line] ?? code.length);
  const text = read(line).trim();
  // A brace on a line of its own.
  const whole = text === '{' && line > 1 ? read(line - 1) : text;
  return whole.replaceAll(/"{2,}/g, '"…"');
}
