/** What is known of a function without running it. */
export interface MeasuredFunction {
  /** Empty for one that has none, and that is not given to anything that has. */
  readonly name: string;
  /** Where its body begins, as an offset. */
  readonly start: number;
  /** The line in which it is declared. */
  readonly line: number;
  /** Lines with code of its own: without blank ones, comments, and functions inside. */
  readonly lines: number;
  /**
   * Ways through it, after McCabe, "A Complexity Measure", 1976: one and one for each branch. The cases of a `switch` count once together:
   * McCabe himself excepts them, as many cases that are alike are easy to read. So do like operators in a row.
   */
  readonly complexity: number;
  /** How deep blocks of control stand in each other. */
  readonly nesting: number;
  /** Those that every caller has to give, in their order. */
  readonly parameters: number;
}
