import type { Ecosystem } from '../../../advisory-source.ts';

/** Where a dependency comes from when it does not come from a registry. `isPinned`: it names one commit, or has a hash. */
export type Origin = {
  readonly kind: 'git' | 'url' | 'path';
  readonly at: string;
  readonly isPinned: boolean;
};

/** A dependency that a manifest asks for. Facts are cached, so what is usual is left out. */
export type Wanted = {
  readonly name: string;
  /** In the words of its ecosystem; null where it is no range of versions: an origin, a tag, a catalog, a package of the same workspace. */
  readonly range: string | null;
  readonly isDev?: true;
  /** It may be left out: where it cannot be installed, on other machines, or where nobody asks for it. */
  readonly isOptional?: true;
  readonly line?: number;
  readonly origin?: Origin;
  /** The package that is meant, where `name` is only what it is called here. */
  readonly of?: string;
};

/** A package that a lock file has settled on. */
export type Locked = {
  readonly name: string;
  /** Empty for what no registry has: a package of the same repository, of a repository elsewhere, of a folder. */
  readonly version: string;
  /** What it is called where it is installed, if by another name. */
  readonly alias?: string;
  readonly isDev?: true;
  readonly license?: string;
  /** It comes from a registry, and nothing says what its content has to be. */
  readonly lacksIntegrity?: true;
  /** Why it should not be used any more, as its maintainers say. */
  readonly deprecated?: string;
  readonly hasInstallScript?: true;
  /** The folder of the manifest at whose disposal it is, where the lock file tells; packages below other packages have none. */
  readonly at?: string;
  /** The ranges that it stands for, where the lock file tells. */
  readonly ranges?: readonly string[];
};

/** A server that packages come from without encryption. */
export type Insecure = {
  readonly host: string;
  readonly line?: number;
  readonly count: number;
  readonly isChecked: boolean;
};

export type Manager = 'npm' | 'pnpm' | 'yarn' | 'pip' | 'pipenv' | 'poetry' | 'uv' | 'go' | 'cargo';

/** What a manifest asks for. */
export type ManifestFacts = {
  readonly role: 'manifest';
  readonly ecosystem: Ecosystem;
  readonly manager: Manager;
  readonly name: string | null;
  /** Others build on it, so it has to leave them the choice of versions. */
  readonly isLibrary: boolean;
  /** Folders below it whose manifests it speaks for, as it names them; `**` where it does not say which. */
  readonly members: readonly string[];
  readonly wanted: readonly Wanted[];
  /** Names whose versions are forced, whatever a range says. */
  readonly forced: readonly string[];
  readonly insecure: readonly Insecure[];
  /** The versions in use, where the manifest itself names them. */
  readonly packages?: readonly Locked[];
};

/** What a lock file has settled on. */
export type LockFacts = {
  readonly role: 'lock';
  readonly ecosystem: Ecosystem;
  readonly manager: Manager;
  readonly packages: readonly Locked[];
  /** What it says the manifests ask for, by folder and name, where it tells. */
  readonly importers?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly forced: readonly string[];
  readonly insecure: readonly Insecure[];
};

/** A lock file that its package manager cannot read either. */
export type BrokenFacts = { readonly role: 'broken'; readonly manager: Manager };

export type PackageFacts = ManifestFacts | LockFacts | BrokenFacts;

/** A range of the registry, or why it is none, from how npm writes a dependency. */
export type Reference = Pick<Wanted, 'range' | 'origin' | 'of'>;
