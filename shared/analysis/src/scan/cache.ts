import { deflateSync, inflateSync } from 'node:zlib';
import { tryOr } from '@signalbox/contracts/system-error';
import type { JsonValue } from '../analyzer.ts';
import type { BlobIntroduction } from '../git/past-blobs.ts';
import type { NoText } from './decode-text.ts';

/** Facts from earlier scans, which one version of an analyzer need not compute again. */
export interface AnalyzerCache {
  readonly version: number;
  /** Facts of the files in the last scanned commit; null for a file that has none. `why`: the file has no text. */
  readonly current: readonly (readonly [path: string, blob: string, facts: JsonValue, why?: NoText])[];
  /** For an analyzer of the history: the sorted commits up to which the history was inspected, and its facts. */
  readonly tips: readonly string[];
  readonly past: readonly (BlobIntroduction & { readonly facts: JsonValue })[];
  /** Paths of the contents of the history that were too large to read. */
  readonly pastLarge: readonly string[];
}

/** Cache entry name of the `ChurnHistory` of a repository. */
export const CHURN_KEY = 'churn';

/** What a repository's next scan reuses: an `AnalyzerCache` per analyzer, and `ChurnHistory`. */
export type ScanCache = Readonly<Record<string, unknown>>;

/** Packs a cache entry as base64. Equal contents give equal texts. */
export function packCache(content: unknown): string {
  return deflateSync(JSON.stringify(content), { level: 1 }).toString('base64');
}

/** Unpacks a cache entry; null when it is unreadable, so that the scan computes everything again. */
export function unpackCache(packed: string): unknown {
  return tryOr(() => JSON.parse(inflateSync(Buffer.from(packed, 'base64')).toString('utf8')) as unknown, null);
}
