import type { RepositoryFile } from '../../../analyzer.ts';
import { isExample, isTest, isVendored } from '../../kinds-of-files.ts';

/** Manifests and lock files by ecosystem. */
const ECOSYSTEMS: readonly { readonly manifest: RegExp; readonly lock: RegExp }[] = [
  {
    manifest: /^package\.json$/,
    lock: /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?)$/,
  },
  {
    manifest: /^(?:pyproject\.toml|Pipfile)$/,
    lock: /^(?:poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|pylock\.toml)$/,
  },
  { manifest: /^Cargo\.toml$/, lock: /^Cargo\.lock$/ },
  { manifest: /^go\.mod$/, lock: /^go\.sum$/ },
  { manifest: /^Gemfile$/, lock: /^Gemfile\.lock$/ },
  { manifest: /^composer\.json$/, lock: /^composer\.lock$/ },
  { manifest: /^mix\.exs$/, lock: /^mix\.lock$/ },
  { manifest: /^pubspec\.yaml$/, lock: /^pubspec\.lock$/ },
];

/** Counts the ecosystems in use, and those with a lock file anywhere, because workspaces share one. */
export function countLocks(files: readonly Pick<RepositoryFile, 'path'>[]): {
  readonly manifests: number;
  readonly locked: number;
} {
  const names = new Set(
    files
      .filter(({ path }) => !isVendored(path) && !isTest(path) && !isExample(path))
      .map(({ path }) => path.slice(path.lastIndexOf('/') + 1)),
  );
  const has = (pattern: RegExp): boolean => [...names].some((name) => pattern.test(name));
  const used = ECOSYSTEMS.filter(({ manifest }) => has(manifest));
  return { manifests: used.length, locked: used.filter(({ lock }) => has(lock)).length };
}
