/** Lowercase words of a text by which names are looked up. */
export interface NameWords {
  /** Words that may be a name as typed. */
  readonly exact: readonly string[];
  /** Two or three adjacent words joined: "mobile app" for mobile-app. */
  readonly bare: readonly string[];
  /** Words that may be a mistyped or shortened name. */
  readonly near: readonly string[];
}
