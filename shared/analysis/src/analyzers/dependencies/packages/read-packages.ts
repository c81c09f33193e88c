import { readCargoLock, readCargoToml } from './cargo/cargo.ts';
import { readGoMod, readGoSum } from './go/go-mod.ts';
import { readBunLock } from './npm/bun-lock.ts';
import { readNpmrc, readPackageJson } from './npm/package-json.ts';
import { readPackageLock } from './npm/package-lock.ts';
import { readPnpmLock } from './npm/pnpm-lock.ts';
import { readYarnLock } from './npm/yarn-lock.ts';
import { readComposerLock, readGemfileLock, readGradleLock, readNugetLock, readPdmLock } from './others/locks.ts';
import { readPom } from './others/pom.ts';
import type { PackageManager, PackageFacts } from './package.ts';
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
  'pom.xml': readPom,
};

interface LockFile {
  readonly manager: PackageManager;
  readonly read: Read;
}

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
  'bun.lock': { manager: 'bun', read: readBunLock },
  'pdm.lock': { manager: 'pdm', read: readPdmLock },
  'pylock.toml': { manager: 'pdm', read: readPdmLock },
  'composer.lock': { manager: 'composer', read: readComposerLock },
  'Gemfile.lock': { manager: 'bundler', read: readGemfileLock },
  'gems.locked': { manager: 'bundler', read: readGemfileLock },
  'gradle.lockfile': { manager: 'gradle', read: readGradleLock },
  'buildscript-gradle.lockfile': { manager: 'gradle', read: readGradleLock },
  'packages.lock.json': { manager: 'nuget', read: readNugetLock },
};

/** Matches names such as `requirements-dev.txt` and `requirements/base.txt`, but not the `.in` inputs of pip-tools. */
const REQUIREMENTS = /(?:^|\/)(?:(?=[\w.-]*\.txt$)[\w.-]*?requirements|requirements\/)[\w.-]*\.txt$/i;

/** True for a manifest or lock file outside vendored folders. */
export function isPackageFile(path: string): boolean {
  const name = getFileName(path);
  return !isVendored(path) && (isKnown(MANIFESTS, name) || isLockFile(path) || REQUIREMENTS.test(path));
}

/** True for the name of a lock file, in any folder. */
export function isLockFile(path: string): boolean {
  return isKnown(LOCK_FILES, getFileName(path));
}

/** Reads a manifest or lock file; null when it has no packages. Deterministic, so that its results can be cached. */
export async function readPackages(path: string, text: string): Promise<PackageFacts | null> {
  const name = getFileName(path);
  const lock = isKnown(LOCK_FILES, name) ? LOCK_FILES[name] : undefined;
  if (lock) return text.trim() === '' ? null : ((await lock.read(text)) ?? { role: 'broken', manager: lock.manager });
  const read = isKnown(MANIFESTS, name) ? MANIFESTS[name] : undefined;
  return read ? read(text) : readRequirements(path, text);
}

export function getFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function getFileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isKnown(table: object, name: string): boolean {
  return Object.hasOwn(table, name);
}
