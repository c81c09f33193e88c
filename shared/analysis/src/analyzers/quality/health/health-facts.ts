export type HealthFacts = {
  /** Non-blank lines of code. */
  readonly lines: number;
  /** True for a test file or code with inline tests. */
  readonly isTest: boolean;
  /** True when this CI file runs tests; null for other files. */
  readonly buildRunsTests: boolean | null;
};
