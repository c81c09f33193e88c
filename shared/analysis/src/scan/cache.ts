import { deflateSync, inflateSync } from 'node:zlib';
import { attempt } from '@signalbox/contracts/system-error';
import type { Fact } from '../analyzer.ts';
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

/** The name under which the `ChurnNotes` of a repository are kept. */
export const CHURN = 'churn';

/** All that is kept of a repository between two scans: an `AnalyzerCache` by the name of each analyzer, and the notes of its churn. */
export type ScanCache = Readonly<Record<string, unknown>>;

/** How it is kept and handed on: only a scan looks inside. The same content is always packed alike. */
export function packCache(content: unknown): string {
  return deflateSync(JSON.stringify(content), { level: 1 }).toString('base64');
}

/** Null for what cannot be read: that costs time and nothing else. */
export function unpackCache(packed: string): unknown {
  return attempt(() => JSON.parse(inflateSync(Buffer.from(packed, 'base64')).toString('utf8')) as unknown, null);
}
