import { readCargoLock, readCargoToml } from './cargo/cargo.ts';
import { readGoMod, readGoSum } from './go/go-mod.ts';
import { readNpmrc, readPackageJson } from './npm/package-json.ts';
import { readPackageLock } from './npm/package-lock.ts';
import { readPnpmLock } from './npm/pnpm-lock.ts';
import { readYarnLock } from './npm/yarn-lock.ts';
import type { Manager, PackageFacts } from './package.ts';
import { readPipfile, readPipfileLock } from './python/pipfile.ts';
import { readPyproject } from './python/pyproject.ts';
import { readRequirements } from './python/requirements.ts';
import { readPoetryLock, readUvLock } from './python/toml-lock.ts';
import { isVendored } from '../../kinds-of-files.ts';

type Read = (text: string) => PackageFacts | null | Promise<PackageFacts | null>;

const MANIFESTS: Readonly<Record<string, Read>> = {
  'package.json': readPackageJson,
  '.npmrc': readNpmrc,
  'pyproject.toml': readPyproject,
  Pipfile: readPipfile,
  'go.mod': readGoMod,
  'Cargo.toml': readCargoToml,
};

interface LockFile {
  readonly manager: Manager;
  /** Null for one that only its own package manager can read. */
  readonly read: Read | null;
}

/** Files that settle versions, by their names. */
export const LOCK_FILES: Readonly<Record<string, LockFile>> = {
  'package-lock.json': { manager: 'npm', read: readPackageLock },
  'npm-shrinkwrap.json': { manager: 'npm', read: readPackageLock },
  'pnpm-lock.yaml': { manager: 'pnpm', read: readPnpmLock },
  'yarn.lock': { manager: 'yarn', read: readYarnLock },
  'Pipfile.lock': { manager: 'pipenv', read: readPipfileLock },
  'poetry.lock': { manager: 'poetry', read: readPoetryLock },
  'uv.lock': { manager: 'uv', read: readUvLock },
  'go.sum': { manager: 'go', read: readGoSum },
  'Cargo.lock': { manager: 'cargo', read: readCargoLock },
};

/** `requirements.txt`, `requirements-dev.txt`, `dev_requirements.txt`, `requirements/base.txt`; what pip-tools compiles from is none. */
const REQUIREMENTS = /(?:^|\/)(?:(?=[\w.-]*\.txt$)[\w.-]*?requirements|requirements\/)[\w.-]*\.txt$/i;

/** Whether a file says which packages are in use. What others wrote is judged where it comes from. */
export function namesPackages(path: string): boolean {
  const name = nameOf(path);
  return !isVendored(path) && (isKnown(MANIFESTS, name) || isKnown(LOCK_FILES, name) || REQUIREMENTS.test(path));
}

/** What a file says about packages; null where it says nothing. The same text gives the same. */
export async function readPackages(path: string, text: string): Promise<PackageFacts | null> {
  const name = nameOf(path);
  const lock = isKnown(LOCK_FILES, name) ? LOCK_FILES[name] : undefined;
  if (lock?.read)
    return text.trim() === '' ? null : ((await lock.read(text)) ?? { role: 'broken', manager: lock.manager });
  const read = isKnown(MANIFESTS, name) ? MANIFESTS[name] : undefined;
  return read ? read(text) : readRequirements(path, text);
}

/** The folder of a file; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isKnown(table: object, name: string): boolean {
  return Object.hasOwn(table, name);
}
