import { describe, expect, it } from 'vitest';
import { readReport, summarize } from './report.ts';

const file = (name: string, status: string, tests: readonly object[], message = ''): object => ({
  name: `/checkout/${name}`,
  status,
  message,
  assertionResults: tests,
});

describe('the report of a suite', () => {
  it('names each failed test with its file and why it failed', () => {
    const report = summarize(
      {
        numPassedTests: 2,
        numFailedTests: 1,
        testResults: [
          file('tests/a.test.ts', 'passed', [{ fullName: 'a works', status: 'passed', failureMessages: [] }]),
          file('tests/b.test.ts', 'failed', [
            { fullName: 'b works', status: 'passed', failureMessages: [] },
            { fullName: 'b counts', status: 'failed', failureMessages: ['expected 1 to be 2'] },
          ]),
        ],
      },
      '/checkout',
    );
    expect(report).toEqual({
      passed: 2,
      failed: 1,
      failedFiles: ['tests/b.test.ts'],
      failures: ['tests/b.test.ts > b counts\nexpected 1 to be 2'],
    });
  });

  it.each([
    ['during its import', []],
    ['within a test', [{ fullName: 'd works', status: 'pending', failureMessages: [] }]],
  ])('counts a file whose process ended %s as failed', (_when, tests) => {
    const report = summarize(
      { numPassedTests: 0, numFailedTests: 0, testResults: [file('tests/d.test.ts', 'failed', tests)] },
      '/checkout',
    );
    expect(report).toMatchObject({
      failedFiles: ['tests/d.test.ts'],
      failures: ['tests/d.test.ts\nIts process ended before its tests.'],
    });
  });

  it('counts a file that could not be loaded as failed, with its reason', () => {
    const report = summarize(
      { numPassedTests: 0, numFailedTests: 0, testResults: [file('tests/c.test.ts', 'failed', [], 'no such module')] },
      '/checkout',
    );
    expect(report).toMatchObject({ failedFiles: ['tests/c.test.ts'], failures: ['tests/c.test.ts\nno such module'] });
  });

  it('is null when the suite was stopped before it wrote a report', () => {
    expect(readReport('/nowhere/report.json', '/checkout')).toBeNull();
  });
});
