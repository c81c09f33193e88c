import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { z } from 'zod';

/** What vitest's JSON reporter writes, as far as the build reads it. */
const VitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['passed', 'failed', 'skipped']).catch('failed'),
      message: z.string().catch(''),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

/** What came of one suite. */
export interface SuiteReport {
  readonly passed: number;
  readonly failed: number;
  /** Paths from the root of the repository. */
  readonly failedFiles: readonly string[];
  /** One text per failed test or file: where it is, its name, why it failed. */
  readonly failures: readonly string[];
}

/** Reads the report of a suite. A file that cannot be read is null: the suite was ended before it could write it. */
export function readReport(file: string, root: string): SuiteReport | null {
  try {
    return summarize(JSON.parse(readFileSync(file, 'utf8')), root);
  } catch {
    return null;
  }
}

/** Reads what the JSON reporter wrote. Throws when it has another shape. */
export function summarize(written: unknown, root: string): SuiteReport {
  const report = VitestReport.parse(written);
  const bad = report.testResults.filter(({ status }) => status === 'failed');
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    failedFiles: bad.map(({ name }) => relative(root, name)),
    failures: bad.flatMap(({ name, message, assertionResults }) => {
      const path = relative(root, name);
      const tests = assertionResults.filter(({ status }) => status === 'failed');
      if (tests.length === 0) return [`${path}\n${message || 'Its process ended before its tests.'}`]; // or it could not be loaded
      return tests.map((test) => `${path} > ${test.fullName}\n${(test.failureMessages ?? []).join('\n')}`);
    }),
  };
}
