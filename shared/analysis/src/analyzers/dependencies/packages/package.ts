import type { Ecosystem } from '../../../advisory-source.ts';

/** Where a dependency comes from when not from a registry. `isPinned`: the origin names one commit or has a checksum. */
export type PackageOrigin = {
  readonly kind: 'git' | 'url' | 'path';
  readonly at: string;
  readonly isPinned: boolean;
};

/** A dependency declared in a manifest. Facts are cached, so default values are left out. */
export type Dependency = {
  readonly name: string;
  /** Version range in the syntax of the ecosystem; null for an origin, a tag, a catalog or a workspace package. */
  readonly range: string | null;
  readonly isDev?: true;
  /** True when installation may skip the dependency, for example on another platform. */
  readonly isOptional?: true;
  readonly line?: number;
  readonly origin?: PackageOrigin;
  /** Real package name when `name` is an alias. */
  readonly of?: string;
};

export type LockedPackage = {
  readonly name: string;
  /** Locked version; empty for a package that is not from a registry. */
  readonly version: string;
  /** Installed name, when it differs from `name`. */
  readonly alias?: string;
  readonly isDev?: true;
  readonly license?: string;
  /** True when a registry package has no checksum. */
  readonly lacksIntegrity?: true;
  readonly deprecated?: string;
  readonly hasInstallScript?: true;
  /** Folder of the manifest that can import the package, if the lock file names the folder; absent for nested packages. */
  readonly at?: string;
  /** Version ranges that resolve to this version, if the lock file lists them. */
  readonly ranges?: readonly string[];
};

/** A server that serves packages without encryption. */
export type InsecureServer = {
  readonly host: string;
  readonly line?: number;
  readonly count: number;
  readonly isChecked: boolean;
};

export type PackageManager =
  | 'npm'
  | 'pnpm'
  | 'yarn'
  | 'pip'
  | 'pipenv'
  | 'poetry'
  | 'uv'
  | 'go'
  | 'cargo'
  | 'bun'
  | 'pdm'
  | 'composer'
  | 'bundler'
  | 'maven'
  | 'gradle'
  | 'nuget';

export type ManifestFacts = {
  readonly role: 'manifest';
  readonly ecosystem: Ecosystem;
  readonly manager: PackageManager;
  readonly name: string | null;
  /** True for a library, that is, a package that others depend on; its ranges should be wide. */
  readonly isLibrary: boolean;
  /** Workspace members as glob patterns; `**` when the manifest does not list them. */
  readonly members: readonly string[];
  readonly wanted: readonly Dependency[];
  /** Package names whose versions are overridden, regardless of their ranges. */
  readonly forced: readonly string[];
  readonly insecure: readonly InsecureServer[];
  /** Package versions that the manifest itself pins. */
  readonly packages?: readonly LockedPackage[];
};

export type LockFileFacts = {
  readonly role: 'lock';
  readonly ecosystem: Ecosystem;
  readonly manager: PackageManager;
  readonly packages: readonly LockedPackage[];
  /** Version ranges in the manifests, by folder and package name, if the lock file stores them. */
  readonly importers?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly forced: readonly string[];
  readonly insecure: readonly InsecureServer[];
};

/** Builds the facts of a manifest; missing facts become empty. */
export function createManifestFacts(
  ecosystem: Ecosystem,
  manager: PackageManager,
  facts: Partial<Omit<ManifestFacts, 'role' | 'ecosystem' | 'manager'>>,
): ManifestFacts {
  const empty = { name: null, isLibrary: false, members: [], wanted: [], forced: [], insecure: [] };
  return { role: 'manifest', ecosystem, manager, ...empty, ...facts };
}

/** Builds the facts of a lock file; `forced` and `insecure` are empty unless given. */
export function createLockFileFacts(
  ecosystem: Ecosystem,
  manager: PackageManager,
  facts: Partial<LockFileFacts> & Pick<LockFileFacts, 'packages'>,
): LockFileFacts {
  return { role: 'lock', ecosystem, manager, forced: [], insecure: [], ...facts };
}

export type BrokenFileFacts = { readonly role: 'broken'; readonly manager: PackageManager };

export type PackageFacts = ManifestFacts | LockFileFacts | BrokenFileFacts;
