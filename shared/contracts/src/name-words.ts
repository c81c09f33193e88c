/** Words of texts under which names are looked up, in small letters. */
export interface NameWords {
  /** Each may be a name as it stands. */
  readonly exact: readonly string[];
  /** Two or three words in a row without separators: "mobile app" is mobile-app. */
  readonly bare: readonly string[];
  /** Each may be a name that is mistyped or shortened. */
  readonly near: readonly string[];
}
