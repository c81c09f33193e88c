export interface PackageEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

export interface LockFile {
  readonly packages?: Readonly<Record<string, PackageEntry>>;
}

export function matchesLock(wanted: LockFile, installed: LockFile): boolean;
