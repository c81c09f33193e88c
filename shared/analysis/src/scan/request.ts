import type { PackageVersion } from '../advisory-source.ts';
import type { Mirror } from '../git/start-git.ts';
import type { ScanResult } from './scan.ts';
import type { ScannedCommit } from './view.ts';

/** The mirror of a scan, and the PATH of git. */
export type ScanLocation = Pick<Mirror, 'dir' | 'path'>;

/** The first line of JSON that the scan program reads from stdin. */
export interface ScanOpening extends ScanLocation, Pick<ScannedCommit, 'commit' | 'folder'> {
  /** Packed cache entries by name. */
  readonly cache: Readonly<Record<string, string>>;
  /** Files to skip: reading them took too long. */
  readonly without: readonly string[];
  /** The name of the advisory source that answers questions; null for none. */
  readonly advisories: string | null;
}

/** Each further line. Every one gets an answer. */
export interface ScanRequest {
  readonly analyzers: readonly string[];
}

/** A line of JSON on stdout. `asks` is answered by an AdvisoryAnswer on stdin. */
export type ScanAnswer =
  /** With new packed cache entries by name. */
  | { readonly outcome: 'done'; readonly result: ScanResult; readonly cache: Readonly<Record<string, string>> }
  /** The file that is being read; null when it is done. */
  | { readonly outcome: 'reads'; readonly path: string | null }
  | { readonly outcome: 'asks'; readonly packages: readonly PackageVersion[] }
  | { readonly outcome: 'failed'; readonly problem: string };

export type ScanDone = Extract<ScanAnswer, { outcome: 'done' }>;
