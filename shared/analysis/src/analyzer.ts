import type { Packages } from '@signalbox/contracts/repository/packages';
import type { RawFinding } from '@signalbox/contracts/repository/finding';
import type { UnreadFiles } from '@signalbox/contracts/repository/unread';
import type { AdvisorySource } from './advisory-source.ts';

/** Maximum size in bytes of files that analyzers read; larger files are not read, and counted. */
export const MAX_TEXT_BYTES = 1_000_000;
/** Maximum size of files in which secrets are looked for, and of lock files. */
export const MAX_LARGE_BYTES = 20_000_000;

/** A regular file of a commit. Symbolic links and submodules are not in the list. */
export interface RepositoryFile {
  /** Path from the repository root, with slashes. Untrusted: git allows every byte but NUL. */
  readonly path: string;
  /** Git object id of the file content. */
  readonly blob: string;
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
}

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/** Facts that an analyzer found in the content of one file. */
export interface FileFacts<F extends JsonValue> {
  readonly path: string;
  readonly blob: string;
  readonly facts: F;
  /** For an analyzer of the history: the commit that added the content, and whether the scanned commit still contains it. */
  readonly commit: string | null;
  readonly isCurrent: boolean;
}

/** Facts of one part of a long text. `line`: number of its first line; `wholeFrom`: of its first whole line. */
export interface PartFacts<F> {
  readonly facts: F;
  readonly line: number;
  readonly wholeFrom: number;
}

/** How a file changed in the history of the scanned commit. */
export interface FileChurn {
  /** Number of commits that changed the file, in the last year and in total. */
  readonly commitsOfYear: number;
  readonly commits: number;
  /** Number of lines added and removed in the last year. */
  readonly linesOfYear: number;
  /** Number of distinct authors, by hashed mail address. */
  readonly authors: number;
  /** Time of the first commit, in seconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The repository as an analyzer sees it in `conclude`: files, history and contents, without access to the file system. */
export interface RepositoryReader {
  readonly commit: string;
  /** Commit time in seconds since the epoch. A scan uses it as the current time, so that results are reproducible. */
  readonly committedAt: number;
  readonly files: readonly RepositoryFile[];
  /** Symbolic links with their literal targets; the scan never follows them. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly submodules: readonly string[];
  /** Source of vulnerability advisories; null when none is configured. */
  readonly advisories: AdvisorySource | null;
  /** Reads the text of a file; null for binary files or those over 1 MB. Throws PATH_DENIED (no such regular file). */
  text(path: string): Promise<string | null>;
  /** Churn by path, for the files of the commit. */
  churn(): Promise<ReadonlyMap<string, FileChurn>>;
  history(): Promise<{
    readonly commits: number;
    readonly authors: number;
    readonly firstAt: number;
    readonly branches: number;
    readonly tags: number;
  }>;
}

/**
 * Result of an analyzer. Reports use `summary`, which holds figures and names but no sentences. Only the manifest analyzers set
 * `packages`.
 */
export interface AnalyzerResult {
  readonly found: readonly RawFinding[];
  readonly summary: JsonValue;
  readonly packages?: Packages;
  /** What this analyzer would have read and did not read; the scan adds files without text and files that are too large or slow. */
  readonly unread?: readonly UnreadFiles[];
}

/**
 * Finds problems in a repository by reading it, never by running it. `inspect` gets one file at a time, and its facts are cached by path
 * and blob, so a second scan costs only changes; `conclude` gets the facts of all files and has to be fast.
 */
export interface Analyzer<F extends JsonValue = JsonValue> {
  /** Name of the analyzer, and prefix of its rule names. */
  readonly name: string;
  /** Version of `inspect`, part of the cache key: increase it with every change of `inspect`. */
  readonly version: number;
  /** `commit` inspects the files of the scanned commit. `history` inspects every content that any branch or tag has ever had. */
  readonly reach: 'commit' | 'history';
  /** Maximum size of a file that `inspect` takes. Default: MAX_TEXT_BYTES. */
  readonly maxBytes?: number;
  /** True when `inspect` needs this file. Files without text, or larger than `maxBytes`, count as not read. */
  wants(file: Pick<RepositoryFile, 'path' | 'sizeBytes'>): boolean;
  /** Returns the facts of a file, or null. Must be pure, and linear in time because the text is untrusted. */
  inspect(path: string, text: string): F | null | Promise<F | null>;
  /** Joins the facts of the overlapping parts in which files over 1 MB are inspected. Without it, `inspect` gets the whole text. */
  join?(parts: readonly PartFacts<F>[]): F;
  conclude(noted: readonly FileFacts<F>[], view: RepositoryReader): AnalyzerResult | Promise<AnalyzerResult>;
}
