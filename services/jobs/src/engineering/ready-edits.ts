/*
 * The entry for changes that need no model, such as the fix of a finding. Who makes them reads the work tree and returns the new texts of
 * files. The runtime then goes the way of every change: bounds of the class ENGINEERING, checks, the critic if a model is there, a card,
 * a branch, a pull request.
 */

/** The files of a work tree at the base commit, as a maker of edits may read them. Paths begin at the root of the repository. */
export interface ReadableTree {
  /** The folder of the project in the repository; null for the whole repository. */
  readonly folder: string | null;
  /** The text of a file; null when there is none, or it is no text. */
  read(path: string): Promise<string | null>;
  /** Paths of files below a folder, at most 5,000, without `.git` and without following links. */
  list(folder?: string): Promise<readonly string[]>;
}

/** Edits that come ready-made. `text`: the whole new text of the file; null deletes it. */
export interface ReadyEdits {
  /** One line, at most 100 characters: the title of the commit and of the pull request, in English. */
  readonly title: string;
  /** Why, in a few sentences of markdown, for the pull request. */
  readonly summary: string;
  readonly files: readonly { readonly path: string; readonly text: string | null }[];
}

/** Makes the edits that fix a finding. Throws AppError when it cannot, with a reason for people. Must be repeatable: a killed job asks again. */
export type FixFinding = (
  finding: { readonly findingId: string; readonly project: string },
  tree: ReadableTree,
  signal: AbortSignal,
) => Promise<ReadyEdits>;
