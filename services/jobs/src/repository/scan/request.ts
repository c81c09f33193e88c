import type { PackageVersion } from '../advisories/advisory-source.ts';
import type { Mirror } from '../git/git-reader.ts';
import type { ScanCache } from './cache.ts';
import type { ScanResult } from './scan.ts';
import type { ScannedCommit } from './view.ts';

/** What the program of a scan reads from its standard input, as a line of JSON. */
export interface ScanRequest extends Pick<Mirror, 'dir' | 'path'>, Pick<ScannedCommit, 'commit' | 'folder'> {
  readonly analyzers: readonly string[];
  readonly cache: ScanCache;
  /** What the source of advisories is called that answers questions; null where there is none. */
  readonly advisories: string | null;
}

/** What it writes to its standard output, a line of JSON each. Each question is answered by a line of its standard input: an AdvisoryAnswer. */
export type ScanAnswer =
  | { readonly outcome: 'done'; readonly result: ScanResult; readonly cache: ScanCache }
  | { readonly outcome: 'asks'; readonly packages: readonly PackageVersion[] }
  | { readonly outcome: 'failed'; readonly problem: string };
