/** Ecosystem names of the OSV database. */
export type Ecosystem = 'npm' | 'PyPI' | 'Go' | 'crates.io';

/** A package version in use, with the name of its registry. */
export interface PackageVersion {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly version: string;
}

/** A published vulnerability, and an affected package. */
export interface AdvisoryHit {
  readonly package: PackageVersion;
  readonly id: string;
  /** Other ids of the vulnerability, such as its CVE. */
  readonly aliases: readonly string[];
  readonly summary: string;
  /** CVSS score, 0 to 10; null when missing. */
  readonly score: number | null;
  /** Severity word of the database, when it has no score: LOW, MODERATE, HIGH, CRITICAL. */
  readonly word: string | null;
  /** The first fixed version after the one in use; null without one. */
  readonly fixed: string | null;
}

/** Answer of a source. An unreachable source proves nothing. */
export type AdvisoryAnswer =
  | { readonly outcome: 'answered'; readonly hits: readonly AdvisoryHit[] }
  | { readonly outcome: 'unavailable'; readonly reason: string };

export interface AdvisorySource {
  /** Never throws for a failing folder or server: the answer says so. */
  find(packages: readonly PackageVersion[]): Promise<AdvisoryAnswer>;
  /** Name in reports: `folder` or the host of an endpoint. */
  describe(): string;
}
