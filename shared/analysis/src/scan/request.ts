import type { PackageVersion } from '../advisory-source.ts';
import type { Mirror } from '../git/start-git.ts';
import type { ScanResult } from './scan.ts';
import type { ScannedCommit } from './view.ts';

/** The mirror of a scan, and where git is found. */
export type ScanPlace = Pick<Mirror, 'dir' | 'path'>;

/** What the program of a scan reads first from its standard input, as a line of JSON. */
export interface ScanOpening extends ScanPlace, Pick<ScannedCommit, 'commit' | 'folder'> {
  /** What earlier scans left, packed, by name. */
  readonly cache: Readonly<Record<string, string>>;
  /** Files that an earlier process was ended over, as reading them took too long. */
  readonly without: readonly string[];
  /** What the source of advisories is called that answers questions; null where there is none. */
  readonly advisories: string | null;
}

/** Each line after it; every one is answered. */
export interface ScanRequest {
  readonly analyzers: readonly string[];
}

/** What it writes to its standard output, a line of JSON each. Each question is answered by a line of its standard input: an AdvisoryAnswer. */
export type ScanAnswer =
  /** With what is new in the cache, packed, by name. */
  | { readonly outcome: 'done'; readonly result: ScanResult; readonly cache: Readonly<Record<string, string>> }
  /** A file is being read, or no longer. */
  | { readonly outcome: 'reads'; readonly path: string | null }
  | { readonly outcome: 'asks'; readonly packages: readonly PackageVersion[] }
  | { readonly outcome: 'failed'; readonly problem: string };

export type ScanDone = Extract<ScanAnswer, { outcome: 'done' }>;
