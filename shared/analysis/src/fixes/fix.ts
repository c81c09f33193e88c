import type { RawFinding } from '@signalbox/contracts/repository/finding';

/** What a fix needs to know of a finding. */
export type FixableFinding = Pick<RawFinding, 'rule' | 'path' | 'line' | 'values'>;

/** The files of a repository at the commit that is fixed. Paths begin at its root. */
export interface FixFiles {
  /** The folder of the project in the repository; null for the whole repository. */
  readonly folder: string | null;
  /** Returns the text of a file; null when there is none, or it is no text. */
  read(path: string): Promise<string | null>;
  /** Lists paths of files below a folder; of all files without one. */
  list(folder?: string): Promise<readonly string[]>;
}

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'berry';

/** How a finding is fixed without a model, or why it is not. */
export type FixPlan =
  | {
      readonly kind: 'edits';
      readonly title: string;
      readonly summary: string;
      /** The whole new texts; null deletes a file. */
      readonly files: readonly { readonly path: string; readonly text: string | null }[];
    }
  | {
      /** A package manager writes the lock file anew. */
      readonly kind: 'lock';
      readonly title: string;
      readonly summary: string;
      readonly folder: string;
      readonly lockFile: string;
      readonly words: readonly string[];
      /** The version that has to be gone afterwards; null when only the file counts. */
      readonly gone: { readonly name: string; readonly version: string } | null;
    }
  | {
      /** A forge has to say which commit a tag of an action is. */
      readonly kind: 'pin';
      readonly path: string;
      readonly line: number;
      readonly owner: string;
      readonly repository: string;
      readonly ref: string;
    }
  | { readonly kind: 'none'; readonly why: string };
