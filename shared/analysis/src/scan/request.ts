import type { PackageVersion } from '../advisory-source.ts';
import type { Mirror } from '../git/start-git.ts';
import type { ScanResult } from './scan.ts';
import type { ScannedCommit } from './view.ts';

export type ScanLocation = Pick<Mirror, 'dir' | 'path'>;

/** The first line of JSON that the scan program reads from stdin. */
export interface ScanSetup extends ScanLocation, Pick<ScannedCommit, 'commit' | 'folder'> {
  /** Packed cache entries by name. */
  readonly cache: Readonly<Record<string, string>>;
  /** Files to skip: reading them took too long. */
  readonly without: readonly string[];
  /** Name of the advisory source; null for none. */
  readonly advisories: string | null;
}

/** A further line on stdin, which always gets an answer. */
export interface ScanRequest {
  readonly analyzers: readonly string[];
}

/** A JSON line on stdout. The service answers `asks` with an AdvisoryAnswer on stdin. */
export type ScanAnswer =
  /** Result, with new packed cache entries by name. */
  | { readonly outcome: 'done'; readonly result: ScanResult; readonly cache: Readonly<Record<string, string>> }
  /** Path of the file that is read; null when reading ends. */
  | { readonly outcome: 'reads'; readonly path: string | null }
  | { readonly outcome: 'asks'; readonly packages: readonly PackageVersion[] }
  | { readonly outcome: 'failed'; readonly problem: string };

export type ScanDone = Extract<ScanAnswer, { outcome: 'done' }>;
