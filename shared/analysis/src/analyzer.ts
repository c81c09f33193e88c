import type { Packages } from '@signalbox/contracts/repository/packages';
import type { RawFinding } from '@signalbox/contracts/repository/finding';
import type { AdvisorySource } from './advisory-source.ts';

/** Larger files are not read, in bytes. */
export const MAX_TEXT_BYTES = 1_000_000;

/** A regular file of a commit; links and submodules are excluded. */
export interface RepositoryFile {
  /** Path relative to the root, with slashes, as in git: any bytes but NUL, so hostile. */
  readonly path: string;
  /** Git id of its content. */
  readonly blob: string;
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
}

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/** Facts of an analyzer about one content at one path. */
export interface FileFacts<F extends JsonValue> {
  readonly path: string;
  readonly blob: string;
  readonly facts: F;
  /** With the reach `history`: the commit that added it, and whether the scanned commit still has it. */
  readonly commit: string | null;
  readonly isCurrent: boolean;
}

/** How a file changed over the history of the scanned commit. */
export interface FileChurn {
  /** Commits that changed it, in the last year and in total. */
  readonly commitsOfYear: number;
  readonly commits: number;
  /** Lines added and removed in the last year. */
  readonly linesOfYear: number;
  /** Distinct authors, by hashed address. */
  readonly authors: number;
  /** Seconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The repository as an analyzer sees it in `conclude`: the tree, its history and single files, without a file system. */
export interface RepositoryReader {
  readonly commit: string;
  /** Commit time in seconds since the epoch: the clock of a scan, so that results are reproducible. */
  readonly committedAt: number;
  readonly files: readonly RepositoryFile[];
  /** Literal targets of links, which are never followed. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly submodules: readonly string[];
  /** Source of advisories; null when none is configured. */
  readonly advisories: AdvisorySource | null;
  /** Reads the UTF-8 text of a file; null for binary files or those over 1 MB. Throws PATH_DENIED (no such regular file). */
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
 * Result of an analyzer. Reports use `summary`, which holds figures and names but no sentences. Only the analyzer of manifests sets
 * `packages`.
 */
export interface AnalyzerResult {
  readonly found: readonly RawFinding[];
  readonly summary: JsonValue;
  readonly packages?: Packages;
  /** Wanted files that were skipped because reading them took too long. Set by the scan. */
  readonly unread?: readonly string[];
}

/**
 * Finds problems in a repository by reading it, never by running it. `inspect` sees one content at a time, and its facts are cached by path
 * and blob, so a second scan costs only changes; `conclude` sees all facts and has to be fast.
 */
export interface Analyzer<F extends JsonValue = JsonValue> {
  /** Prefix of the names of its rules. */
  readonly name: string;
  /** Part of the cache key: increase it with every change of `inspect`. */
  readonly version: number;
  /** `commit`: the files of the scanned commit. `history`: every content that any branch or tag has ever had. */
  readonly reach: 'commit' | 'history';
  /** True when `inspect` wants this file. Not called for files over 1 MB or without UTF-8 text. */
  wants(file: Pick<RepositoryFile, 'path' | 'sizeBytes'>): boolean;
  /** Pure: equal path and text give equal facts, or null. Text is hostile: it must end in linear time. */
  inspect(path: string, text: string): F | null | Promise<F | null>;
  conclude(noted: readonly FileFacts<F>[], view: RepositoryReader): AnalyzerResult | Promise<AnalyzerResult>;
}
