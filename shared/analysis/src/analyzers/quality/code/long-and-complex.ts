import { toEvidence } from '../../evidence.ts';
import type { Language } from '../source/languages.ts';
import type { MeasuredFunction } from '../source/measured-function.ts';
import type { SourceText } from '../source/read-source.ts';
import { createProblem, type Problem } from '../../problem.ts';

/** Complexity limits: over 20 is high risk and over 50 untestable (Heitlager, Kuipers, Visser, 2007). */
const COMPLEX = 20;
const UNTESTABLE = 50;
/** Function length limit, SonarQube's default (rule S138). Functions without branches are exempt, because long lists are easy to read. */
const LONG_FUNCTION_LINES = 100;
const LONG_FUNCTION_COMPLEXITY = 10;
/** Nesting limit. SonarQube's default of 3 (rule S134) is exceeded by many readable functions. */
const DEEP = 5;
/** Parameter limit, SonarQube's default (rule S107). */
const MANY_PARAMETERS = 7;
/** File length limit, SonarQube's default (rule S104). */
const LONG_FILE_LINES = 1_000;

/** Finds functions and files that are too long, complex or nested. Reports only the worst problem of each function. */
export function findLongAndComplex(
  source: SourceText,
  functions: readonly MeasuredFunction[],
  language: Language,
  linesOfCode: number,
): readonly Problem[] {
  const types = readTypeNames(source);
  const found = functions.flatMap((one) => {
    // Skips test functions that are in the same file as the tested code.
    if (/^test_|^test[A-Z]|[a-z\d]Test$|_test$/.test(one.name)) return [];
    const shape = findShapeProblem(one);
    const parameters = one.parameters > MANY_PARAMETERS && mayChooseParameters(one, { source, language, types });
    const at = { line: one.line, evidence: toEvidence(readHeaderLine(source, one)), identity: one.name };
    const name = toEvidence(one.name) || `${at.line}`;
    return [
      ...(shape ? [{ ...at, ...shape, values: { ...shape.values, name } }] : []),
      ...(parameters
        ? [{ ...at, rule: 'many-parameters', severity: 'low' as const, values: { name, count: one.parameters } }]
        : []),
    ];
  });
  // A long file without functions is a table, which is easy to read.
  if (linesOfCode <= LONG_FILE_LINES || functions.length === 0) return found;
  return [createProblem('long-file', 'low', { values: { lines: linesOfCode } }), ...found];
}

type ShapeProblem = Pick<Problem, 'rule' | 'severity' | 'values'>;

function findShapeProblem({ complexity, lines, nesting }: MeasuredFunction): ShapeProblem | null {
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
  readonly source: SourceText;
  readonly language: Language;
  readonly types: ReadonlySet<string>;
}

/** False for constructors, decorated functions and Swift, where long parameter lists are normal. */
function mayChooseParameters(one: MeasuredFunction, { source, language, types }: Context): boolean {
  if (/^(?:constructor|__init__|__new__|__construct|initialize|init)$/.test(one.name) || types.has(one.name))
    return false;
  if (language.name === 'Swift') return false;
  if (language.name !== 'Python') return true;
  const lineStart = source.lineStarts[one.line - 2] ?? 0;
  return one.line < 2 || !/^\s*(?:@|\))/.test(source.code.slice(lineStart, one.start));
}

/** Collects class names; a function with such a name is a constructor. */
function readTypeNames({ code }: SourceText): ReadonlySet<string> {
  return new Set([...code.matchAll(/\b(?:class|struct|record|enum)\s+(\w+)/g)].map(([, name]) => name ?? ''));
}

/** Returns the declaration line of a function, without string contents. */
function readHeaderLine({ code, lineStarts }: SourceText, { line }: MeasuredFunction): string {
  const read = (from: number): string => code.slice(lineStarts[from - 1] ?? 0, lineStarts[line] ?? code.length);
  const text = read(line).trim();
  // An opening brace on its own line follows the declaration line.
  const whole = text === '{' && line > 1 ? read(line - 1) : text;
  return whole.replaceAll(/"{2,}/g, '"…"');
}
