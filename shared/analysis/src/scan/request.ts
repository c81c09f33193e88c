import type { PackageVersion } from '../advisory-source.ts';
import type { Mirror } from '../git/start-git.ts';
import type { ScanResult } from './scan.ts';
import type { ScannedCommit } from './view.ts';

export type ScanLocation = Pick<Mirror, 'dir' | 'path'>;

/** The first JSON line that the scan program reads from stdin. */
export interface ScanSetup extends ScanLocation, Pick<ScannedCommit, 'commit' | 'folder'> {
  /** Packed cache entries, by cache name. */
  readonly cache: Readonly<Record<string, string>>;
  /** Files to skip, because reading them took too long before. */
  readonly without: readonly string[];
  /** Name of the advisory source; null when there is none. */
  readonly advisories: string | null;
}

/** Each further line on stdin; the scan program answers every line. */
export interface ScanRequest {
  readonly analyzers: readonly string[];
}

/** A JSON line on stdout of the scan program. The service answers `asks` with an AdvisoryAnswer on stdin. */
export type ScanAnswer =
  /** Scan result, with new packed cache entries by name. */
  | { readonly outcome: 'done'; readonly result: ScanResult; readonly cache: Readonly<Record<string, string>> }
  /** Path of the file that the scan now reads; null when it has finished reading. */
  | { readonly outcome: 'reads'; readonly path: string | null }
  | { readonly outcome: 'asks'; readonly packages: readonly PackageVersion[] }
  | { readonly outcome: 'failed'; readonly problem: string };

export type ScanDone = Extract<ScanAnswer, { outcome: 'done' }>;
