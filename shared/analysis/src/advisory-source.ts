/** As the OSV database names them. */
export type Ecosystem = 'npm' | 'PyPI' | 'Go' | 'crates.io';

/** A package in the version that is in use, as its registry names it. */
export interface PackageVersion {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly version: string;
}

/** A weakness that somebody published, and a package that has it. */
export interface Hit {
  readonly package: PackageVersion;
  readonly id: string;
  /** Other names of the same weakness, such as its CVE. */
  readonly aliases: readonly string[];
  readonly summary: string;
  /** From 0 to 10 by CVSS; null where the record does not say. */
  readonly score: number | null;
  /** In the words of the database, where it has no score: LOW, MODERATE, HIGH, CRITICAL. */
  readonly word: string | null;
  /** The first version without it after the one in use; null where there is none. */
  readonly fixed: string | null;
}

/** What a source says. One that is not reached has said nothing: that is no proof that there is nothing. */
export type AdvisoryAnswer =
  | { readonly outcome: 'answered'; readonly hits: readonly Hit[] }
  | { readonly outcome: 'unavailable'; readonly reason: string };

/** Where published weaknesses are looked up. */
export interface AdvisorySource {
  /** Never throws for what a folder or a server does: the answer says so. */
  find(packages: readonly PackageVersion[]): Promise<AdvisoryAnswer>;
  /** What it is, for a report: `folder` or the host of an endpoint. */
  describe(): string;
}
