export interface MeasuredFunction {
  /** Empty for an anonymous function that is not assigned or passed. */
  readonly name: string;
  readonly start: number;
  readonly line: number;
  /** Lines of code, without blank lines, comments and nested functions. */
  readonly lines: number;
  /** Cyclomatic complexity (McCabe, 1976); a `switch` and a row of equal operators each count as one branch. */
  readonly complexity: number;
  readonly nesting: number;
  /** Number of required positional parameters. */
  readonly parameters: number;
}
