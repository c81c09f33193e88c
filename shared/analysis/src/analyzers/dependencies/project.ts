import { isPackageKey, MAX_PACKAGES, type Packages } from '@signalbox/contracts/repository/packages';
import type { Ecosystem } from '../../advisory-source.ts';
import type { FileFacts, RepositoryReader } from '../../analyzer.ts';
import { isExample, isTest } from '../kinds-of-files.ts';
import type { LockFileFacts, ManifestFacts, PackageFacts } from './packages/package.ts';
import { normalizeName } from './packages/python/requirement.ts';
import { getFolder } from './packages/read-packages.ts';

export interface LocatedFacts<F> {
  readonly path: string;
  readonly folder: string;
  readonly facts: F;
}

/** Manifests and lock files of a commit, except those of tests, examples and templates. */
export interface PackageFiles {
  readonly manifests: readonly LocatedFacts<ManifestFacts>[];
  readonly locks: readonly LocatedFacts<LockFileFacts>[];
  readonly broken: readonly LocatedFacts<PackageFacts>[];
  readonly paths: ReadonlySet<string>;
  /** Keys of this repository's packages, such as `npm react`. */
  readonly own: ReadonlySet<string>;
}

export function collectPackageFiles(
  noted: readonly FileFacts<PackageFacts>[],
  view: Pick<RepositoryReader, 'files'>,
): PackageFiles {
  const placed = noted
    .filter(({ path }) => isShipped(path))
    .map(({ path, facts }) => ({ path, folder: getFolder(path), facts }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  const manifests = placed.filter((one): one is LocatedFacts<ManifestFacts> => one.facts.role === 'manifest');
  return {
    manifests,
    locks: placed.filter((one): one is LocatedFacts<LockFileFacts> => one.facts.role === 'lock'),
    broken: placed.filter(({ facts }) => facts.role === 'broken'),
    paths: new Set(view.files.map(({ path }) => path)),
    own: new Set(
      manifests.flatMap(({ facts }) => (facts.name === null ? [] : [buildPackageKey(facts.ecosystem, facts.name)])),
    ),
  };
}

/** Builds a package key such as `npm react`; equivalent names have equal keys. */
export function buildPackageKey(ecosystem: Ecosystem, name: string): string {
  return `${ecosystem} ${ecosystem === 'PyPI' ? normalizeName(name) : name}`;
}

/** Lists a folder and its parent folders, nearest first; the root is the empty text. */
export function listFoldersAbove(folder: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== ''; folders.push(at)) at = getFolder(at);
  return folders;
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Finds the nearest file with one of these names in a folder or its parent folders. */
export function findFileAbove(project: PackageFiles, folder: string, names: readonly string[]): string | null {
  for (const one of listFoldersAbove(folder))
    for (const name of names) if (project.paths.has(joinPath(one, name))) return joinPath(one, name);
  return null;
}

/** Returns a folder's path relative to `above`; null when the folder is not below `above`. */
export function getRelativeFolder(above: string, folder: string): string | null {
  if (above === '') return folder;
  if (folder === above) return '';
  return folder.startsWith(`${above}/`) ? folder.slice(above.length + 1) : null;
}

/** True when workspace patterns include a folder. In a pattern, `*` is one path segment and `**` any number. */
export function isWorkspaceMember(patterns: readonly string[], folder: string): boolean {
  const isIn = (pattern: string): boolean => {
    const wanted = pattern.replace(/^\.?\/|\/$/g, '').split('/');
    const parts = folder.split('/');
    const deep = wanted.indexOf('**');
    if (deep < 0 && wanted.length !== parts.length) return false;
    return wanted.slice(0, deep < 0 ? undefined : deep).every((part, index) => isPart(part, parts[index] ?? ''));
  };
  return folder !== '' && patterns.some((pattern) => !pattern.startsWith('!') && isIn(pattern));
}

function isPart(pattern: string, part: string): boolean {
  const [start = '', end] = pattern.split('*', 2);
  return end === undefined ? start === part : part.startsWith(start) && part.endsWith(end);
}

/** Folders of templates, whose manifests are copied before use. */
const TEMPLATE = /(?:^|\/)(?:_?templates?|template-[^/]*|scaffold(?:ing|s)?|skeletons?|starters?|generators?)\//i;

/** True unless the manifest belongs to a test, an example or a template. */
export function isShipped(path: string): boolean {
  return !TEMPLATE.test(path) && !isExample(path) && !isTest(path);
}

/** Lists the packages that this repository publishes and the external packages that it uses. */
export function listPackages({ manifests, own }: PackageFiles): Packages {
  const uses = manifests.flatMap(({ facts }) =>
    facts.wanted
      // A dependency given as a path belongs to this repository.
      .filter(({ origin }) => origin?.kind !== 'path')
      .map(({ name, of = name }) => buildPackageKey(facts.ecosystem, of)),
  );
  return { offers: bounded(own), uses: bounded(uses.filter((name) => !own.has(name))) };
}

/** Sorts and limits names, so that the limit always keeps the same ones. */
function bounded(names: Iterable<string>): string[] {
  return [...new Set(names)].filter(isPackageKey).sort().slice(0, MAX_PACKAGES);
}
