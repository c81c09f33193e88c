import type { Packages } from '@signalbox/contracts/repository/packages';
import type { RawFinding } from '@signalbox/contracts/repository/finding';
import type { AdvisorySource } from './advisory-source.ts';

/** Larger files are not read, in bytes. */
export const MAX_TEXT_BYTES = 1_000_000;

/** An ordinary file of a commit. Links and submodules are none. */
export interface RepositoryFile {
  /** Relative to the root, with slashes, as git has it: any bytes but NUL, so hostile. */
  readonly path: string;
  /** The id of its content. */
  readonly blob: string;
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
}

/** What JSON can hold. */
export type Fact = string | number | boolean | null | readonly Fact[] | { readonly [name: string]: Fact };

/** What an analyzer noted of one content at one path. */
export interface Noted<F extends Fact> {
  readonly path: string;
  readonly blob: string;
  readonly facts: F;
  /** With the reach `history`: the commit that brought it, and whether the file still is so in the commit that is scanned. */
  readonly commit: string | null;
  readonly isCurrent: boolean;
}

/** How a file changed over the history of the scanned commit. */
export interface Churn {
  /** Commits that changed it, in the last year and in all. */
  readonly commitsOfYear: number;
  readonly commits: number;
  /** Added and removed lines of the last year. */
  readonly linesOfYear: number;
  /** Distinct authors, by their hashed addresses. */
  readonly authors: number;
  /** Seconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** What an analyzer may see when it concludes: the tree, its history, and single files. There is no file system behind it. */
export interface RepositoryView {
  readonly commit: string;
  /** Of the commit, in seconds since the epoch: the clock of a scan, so that a scan of the same commit says the same. */
  readonly committedAt: number;
  readonly files: readonly RepositoryFile[];
  /** Where each link leads, as it is written; nobody follows it. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly submodules: readonly string[];
  /** Where published weaknesses are looked up; null where nobody configured one. */
  readonly advisories: AdvisorySource | null;
  /** The UTF-8 text of a file, null for what is none or is over 1 MB. Throws PATH_DENIED (no such ordinary file). */
  text(path: string): Promise<string | null>;
  /** By path, of files that the commit has. */
  churn(): Promise<ReadonlyMap<string, Churn>>;
  /** Figures of the history as a whole. */
  history(): Promise<{
    readonly commits: number;
    readonly authors: number;
    readonly firstAt: number;
    readonly branches: number;
    readonly tags: number;
  }>;
}

/**
 * What an analyzer says at the end. The report is written from `summary`, which holds figures and names, no sentences. Only the
 * analyzer that reads manifests sets `packages`.
 */
export interface Conclusion {
  readonly found: readonly RawFinding[];
  readonly summary: Fact;
  readonly packages?: Packages;
  /** Files that it wanted to see and that were left out, as reading them took too long. The scan sets it. */
  readonly unread?: readonly string[];
}

/**
 * Finds problems in a repository by reading it; nothing of it is ever executed. It works in two steps so that a second scan costs what has
 * changed: `inspect` sees one content at a time, and its facts are cached by path and blob; `conclude` sees all facts and has to be quick.
 */
export interface Analyzer<F extends Fact = Fact> {
  /** The first part of its rules' names. */
  readonly name: string;
  /** A part of the cache's key: raise it with every change of what `inspect` notes. */
  readonly version: number;
  /** `commit`: the files of the scanned commit. `history`: every content that any branch or tag has ever had. */
  readonly reach: 'commit' | 'history';
  /** Whether `inspect` wants to see this one. It is not asked about files over 1 MB or that are no UTF-8 text. */
  wants(file: Pick<RepositoryFile, 'path' | 'sizeBytes'>): boolean;
  /** Pure: the same path and text give the same facts, or null for nothing to note. Text is hostile: it must end, in linear time. */
  inspect(path: string, text: string): F | null | Promise<F | null>;
  conclude(noted: readonly Noted<F>[], view: RepositoryView): Conclusion | Promise<Conclusion>;
}
