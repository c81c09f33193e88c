import { deflateSync, inflateSync } from 'node:zlib';
import { tryOr } from '@signalbox/contracts/system-error';
import type { JsonValue } from '../analyzer.ts';
import type { BlobIntroduction } from '../git/past-blobs.ts';

/** Facts that an analyzer need not compute again. Valid for one version of the analyzer. */
export interface AnalyzerCache {
  readonly version: number;
  /** Facts of the files of the last commit; null for an inspected file without facts. */
  readonly current: readonly (readonly [path: string, blob: string, facts: JsonValue])[];
  /** With the reach `history`: sorted tips of the inspected history, and its facts. */
  readonly tips: readonly string[];
  readonly past: readonly (BlobIntroduction & { readonly facts: JsonValue })[];
}

/** Cache name of the `ChurnNotes` of a repository. */
export const CHURN_KEY = 'churn';

/** The cache of a repository between scans: an `AnalyzerCache` per analyzer, and `ChurnNotes`. */
export type ScanCache = Readonly<Record<string, unknown>>;

/** Packs a cache entry as base64. The same content always gives the same text. */
export function packCache(content: unknown): string {
  return deflateSync(JSON.stringify(content), { level: 1 }).toString('base64');
}

/** Unpacks a cache entry; null when unreadable, which only costs time. */
export function unpackCache(packed: string): unknown {
  return tryOr(() => JSON.parse(inflateSync(Buffer.from(packed, 'base64')).toString('utf8')) as unknown, null);
}
