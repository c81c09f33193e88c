/** What is known of one file. */
export type HealthFacts = {
  /** Lines that are not blank, of code alone. */
  readonly lines: number;
  /** Whether it holds tests: as a test file, or within code. */
  readonly isTest: boolean;
  /** For what a build server runs: whether that includes tests. Null for another file. */
  readonly buildRunsTests: boolean | null;
};
