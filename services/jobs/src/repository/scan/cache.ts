import type { Fact } from '../analyzers/analyzer.ts';
import type { ChurnNotes } from '../git/churn.ts';
import type { Introduction } from '../git/past-blobs.ts';

/** What one analyzer is spared at the next scan. Of another version of the analyzer, it is nothing. */
export interface AnalyzerCache {
  readonly version: number;
  /** What was noted of the files of the last commit; null: there was nothing to note, which is also worth knowing. */
  readonly current: readonly (readonly [path: string, blob: string, facts: Fact])[];
  /** With the reach `history`: up to where the past was looked at, sorted, and all that was noted there. */
  readonly tips: readonly string[];
  readonly past: readonly (Introduction & { readonly facts: Fact })[];
}

/** All that is kept of a repository between two scans. It is the database's own, so it is not parsed again. */
export interface ScanCache {
  readonly analyzers: Readonly<Record<string, AnalyzerCache>>;
  readonly churn: ChurnNotes | null;
}

export const EMPTY_CACHE: ScanCache = { analyzers: {}, churn: null };
