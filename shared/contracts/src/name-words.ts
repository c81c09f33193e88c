/** Lowercase words of a text that are looked up as names. */
export interface NameWords {
  /** Words that may be a name exactly as typed. */
  readonly exact: readonly string[];
  /** Two or three adjacent words, joined: "mobile app" for mobile-app. */
  readonly bare: readonly string[];
  /** Words that may be a mistyped or shortened name. */
  readonly near: readonly string[];
}
