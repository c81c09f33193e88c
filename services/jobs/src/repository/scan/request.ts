import type { Mirror } from '../git/git-reader.ts';
import type { ScanCache } from './cache.ts';
import type { ScanResult } from './scan.ts';
import type { ScannedCommit } from './view.ts';

/** What the program of a scan reads from its standard input, as JSON. */
export interface ScanRequest extends Pick<Mirror, 'dir' | 'path'>, ScannedCommit {
  readonly analyzers: readonly string[];
  readonly cache: ScanCache;
}

/** What it writes to its standard output. */
export type ScanAnswer =
  | { readonly outcome: 'done'; readonly result: ScanResult; readonly cache: ScanCache }
  | { readonly outcome: 'failed'; readonly problem: string };
