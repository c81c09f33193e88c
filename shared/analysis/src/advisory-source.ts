/** Ecosystem names of the OSV database. */
export const ECOSYSTEMS = ['npm', 'PyPI', 'Go', 'crates.io', 'RubyGems', 'Packagist', 'Maven', 'NuGet'] as const;
export type Ecosystem = (typeof ECOSYSTEMS)[number];

/** A used package version, with the name of its registry. */
export interface PackageVersion {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly version: string;
}

/** A published vulnerability and the package that it affects. */
export interface AdvisoryHit {
  readonly package: PackageVersion;
  readonly id: string;
  /** Other ids of the vulnerability, such as its CVE. */
  readonly aliases: readonly string[];
  readonly summary: string;
  /** CVSS score, 0 to 10; null when the record has none. */
  readonly score: number | null;
  /** Severity in the database for a vulnerability without a score: LOW, MODERATE, HIGH, CRITICAL. */
  readonly word: string | null;
  /** The first fixed version after the used one; null when no version has a fix. */
  readonly fixed: string | null;
}

/** Answer of an advisory source. When the source is unreachable, packages may still be vulnerable. */
export type AdvisoryAnswer =
  | { readonly outcome: 'answered'; readonly hits: readonly AdvisoryHit[] }
  | { readonly outcome: 'unavailable'; readonly reason: string };

export interface AdvisorySource {
  /** Does not throw when the folder or server fails: the answer tells the failure. */
  find(packages: readonly PackageVersion[]): Promise<AdvisoryAnswer>;
  /** Name of the source in reports: `folder` or the host of the server. */
  describe(): string;
}
