import { describe, expect, it } from 'vitest';
import { findNextSteps } from '@signalbox/analysis/steps/next-steps';
import { planRefactoring, type PlannedFinding } from '@signalbox/analysis/steps/refactoring-plan';
import { runInLanguage } from '@signalbox/messages/language';

const finding = (
  rule: string,
  path: string,
  values: PlannedFinding['values'] = {},
  severity: PlannedFinding['severity'] = 'low',
): PlannedFinding => ({ rule, severity, path, line: 1, values });

const FINDINGS: readonly PlannedFinding[] = [
  finding('code/long-file', 'src/long.ts', { lines: 1_400 }),
  finding('duplicates/copied-code', 'src/copy.ts', { lines: 40, other: 'src/a.ts' }),
  finding('code/complex-function', 'src/calm.ts', { name: 'calm', complexity: 60, lines: 200 }),
  finding('code/complex-function', 'src/hot.ts', { name: 'small', complexity: 22, lines: 30 }),
  finding('code/deep-nesting', 'src/hot.ts', { name: 'deep', depth: 7 }),
  finding('hot-spots/complex-and-changed', 'src/hot.ts', { lines: 900, commits: 50 }),
  finding('health/no-tests', '.', { lines: 9_000 }, 'medium'),
  finding('documentation/dead-link', 'README.md', { target: 'gone.md' }),
];

describe('a plan of refactorings', () => {
  it('begins with missing tests, then complex and often changed code, then copies, then size', () => {
    const steps = planRefactoring(FINDINGS);
    expect(steps.map(({ path, effort, lines }) => [path, effort, lines])).toEqual([
      ['.', 'L', 9_000],
      ['src/hot.ts', 'S', 30],
      ['src/calm.ts', 'M', 200],
      ['src/copy.ts', 'S', 40],
      ['src/long.ts', 'L', 1_400],
    ]);
    expect(steps[1]).toMatchObject({
      what: 'Simplify `src/hot.ts`.',
      why: 'The file has 900 lines of deeply indented code and was changed in 50 commits within a year.',
      rules: ['code/complex-function', 'code/deep-nesting', 'hot-spots/complex-and-changed'],
    });
  });

  it('does not depend on the order of the findings, and has at most ten steps of several kinds', () => {
    expect(planRefactoring(FINDINGS.toReversed())).toEqual(planRefactoring(FINDINGS));
    const many = Array.from({ length: 40 }, (_, n) => [
      finding('code/complex-function', `src/${n}.ts`, { name: 'a', complexity: 21 + n, lines: 30 }),
      finding('duplicates/copied-code', `src/${n}.ts`, { lines: 30 + n, other: 'a.ts' }),
    ]).flat();
    const steps = planRefactoring(many);
    expect(steps).toHaveLength(10);
    expect(steps.filter(({ what }) => what.startsWith('Simplify'))).toHaveLength(5);
    expect(steps[0]?.path).toBe('src/39.ts');
  });

  it('is in the language of the reader, and skips rules that no longer exist', () => {
    expect(runInLanguage('de', () => planRefactoring(FINDINGS))[1]?.what).toBe('`src/hot.ts` vereinfachen.');
    expect(planRefactoring([finding('code/gone', 'a.ts'), finding('secrets/gone', 'a.ts')])).toEqual([]);
  });
});

describe('next steps', () => {
  it('are the five most severe findings, one of each rule, the surest and cheapest first', () => {
    const more = [
      finding('code/swallowed-error', 'a.ts', {}),
      finding('code/merge-conflict', 'b.ts', {}, 'high'),
      finding('code/debug-leftover', 'c.ts', { what: 'debugger' }, 'medium'),
      finding('documentation/dead-link', 'A.md', { target: 'lost.md' }),
      finding('code/gone', 'd.ts', {}, 'critical'),
    ];
    const steps = findNextSteps([...FINDINGS, ...more]);
    expect(steps.map(({ finding: { rule, path }, more: others }) => [rule, path, others])).toEqual([
      ['code/merge-conflict', 'b.ts', 0],
      ['code/debug-leftover', 'c.ts', 0],
      ['health/no-tests', '.', 0],
      ['documentation/dead-link', 'A.md', 1],
      ['code/swallowed-error', 'a.ts', 0],
    ]);
    expect(steps[3]).toMatchObject({ what: 'The link to `lost.md` leads nowhere.' });
    expect(steps[3]?.why).toContain('Correct the link');
    expect(findNextSteps([...more, ...FINDINGS].toReversed())).toEqual(steps);
  });

  it('are empty when a scan found nothing', () => {
    expect(findNextSteps([])).toEqual([]);
  });
});
