import { isVendored } from '../../kinds-of-files.ts';
import { joinPatterns } from '../../any-of.ts';
import { isShipped } from '../project.ts';
import { getFileName, getFolder, isPackageFile } from './read-packages.ts';

/** Names of lock files, of any package manager. */
const LOCK = joinPatterns(
  /^[\w.-]{0,80}(?:\.lock|\.lockb|\.lockfile|-lock\.(?:json|ya?ml|toml)|\.lock\.(?:json|ya?ml|hcl))$/,
  /^(?:Package\.resolved|Cartfile\.resolved|gradle\.lockfile|packages\.config|cabal\.project\.freeze|renv\.lock)$/,
);
/** Names of locks that are no list of packages. */
const OTHER_LOCK = /^(?:\.|flock|[\w-]*\.pid)/;
/** Manifests without a reader, and the lock files that name their packages instead. */
const MANIFESTS: readonly (readonly [manifest: RegExp, locks: RegExp])[] = [
  [/^Gemfile$/, /^Gemfile\.lock$/],
  [/^composer\.json$/, /^composer\.lock$/],
  [/^build\.gradle(?:\.kts)?$/, /^gradle\.lockfile$/],
  [/^build\.sbt$/, /^build\.sbt\.lock$/],
  [/^mix\.exs$/, /^mix\.lock$/],
  [/^pubspec\.yaml$/, /^pubspec\.lock$/],
  [/^Package\.swift$/, /^Package\.resolved$/],
  [/^Podfile$/, /^Podfile\.lock$/],
  [/\.(?:cs|fs|vb)proj$/, /^packages\.lock\.json$/],
];

/** Lists package files that no parser reads: locks of other package managers, and manifests whose lock is missing. */
export function listUnknownPackageFiles(paths: ReadonlySet<string>): readonly string[] {
  const names = new Map<string, string[]>();
  for (const path of paths) names.set(getFolder(path), [...(names.get(getFolder(path)) ?? []), getFileName(path)]);
  return [...paths].filter((path) => {
    if (isPackageFile(path) || isVendored(path) || !isShipped(path)) return false;
    const name = getFileName(path);
    if (LOCK.test(name) && !OTHER_LOCK.test(name)) return true;
    const locks = MANIFESTS.find(([manifest]) => manifest.test(name))?.[1];
    return locks !== undefined && !(names.get(getFolder(path)) ?? []).some((other) => locks.test(other));
  });
}
