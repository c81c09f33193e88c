import { createLockFileFacts, type LockedPackage, type LockFileFacts } from '../package.ts';
import { getField, isPlainObject, listEntries, parseToml, toList, toText, tryParse } from '../plain.ts';
import { normalizeName } from '../python/requirement.ts';

const MAX_LINE_LENGTH = 1_000;

/** Reads composer.lock; null when malformed. */
export function readComposerLock(text: string): LockFileFacts | null {
  const root = tryParse(() => JSON.parse(text));
  if (!isPlainObject(root)) return null;
  const read = (list: string, isDev: boolean): readonly LockedPackage[] =>
    toList(root[list]).flatMap((entry) => {
      const name = toText(getField(entry, 'name'));
      const version = toText(getField(entry, 'version'))?.replace(/^v(?=\d)/, '') ?? '';
      if (name === null) return [];
      // A branch such as `dev-main` is no version.
      return [{ name: name.toLowerCase(), version: /^\d/.test(version) ? version : '', ...(isDev ? { isDev } : {}) }];
    });
  return createLockFileFacts('Packagist', 'composer', {
    packages: [...read('packages', false), ...read('packages-dev', true)],
  });
}

/** Reads Gemfile.lock. Only gems of a `GEM` section come from a registry. */
export function readGemfileLock(text: string): LockFileFacts {
  const packages: LockedPackage[] = [];
  let section = '';
  for (const raw of text.split('\n')) {
    const line = raw.slice(0, MAX_LINE_LENGTH).trimEnd();
    if (/^[A-Z]/.test(line)) section = line;
    const [, name, version] = /^ {4}([\w.-]+) \((\d[\w.]*)(?:-[\w.-]+)?\)$/.exec(line) ?? [];
    if (section === 'GEM' && name !== undefined && version !== undefined) packages.push({ name, version });
  }
  return createLockFileFacts('RubyGems', 'bundler', { packages });
}

/** Reads gradle.lockfile: lines such as `org.a:b:1.0=runtimeClasspath`. */
export function readGradleLock(text: string): LockFileFacts {
  const packages = text.split('\n').flatMap((raw): readonly LockedPackage[] => {
    const [, name, version, uses = ''] =
      /^([\w.-]+:[\w.-]+):([\w.+-]+)=(.*)$/.exec(raw.slice(0, MAX_LINE_LENGTH)) ?? [];
    if (name === undefined || version === undefined) return [];
    const isDev = uses.split(',').every((use) => /^test/i.test(use.trim()));
    return [{ name, version, ...(isDev ? { isDev } : {}) }];
  });
  return createLockFileFacts('Maven', 'gradle', { packages });
}

/** Reads packages.lock.json of NuGet; null when malformed. */
export function readNugetLock(text: string): LockFileFacts | null {
  const root = tryParse(() => JSON.parse(text));
  if (!isPlainObject(root) || !isPlainObject(root['dependencies'])) return null;
  const packages = new Map<string, LockedPackage>();
  for (const [, framework] of listEntries(root['dependencies']))
    for (const [name, entry] of listEntries(framework)) {
      const version = toText(getField(entry, 'resolved'));
      if (version !== null) packages.set(`${name} ${version}`, { name, version });
    }
  return createLockFileFacts('NuGet', 'nuget', { packages: [...packages.values()] });
}

/** Reads pdm.lock and pylock.toml; null when malformed. */
export async function readPdmLock(text: string): Promise<LockFileFacts | null> {
  const root = await parseToml(text);
  if (!root) return null;
  return createLockFileFacts('PyPI', 'pdm', {
    packages: toList(root['package'] ?? root['packages']).flatMap((entry): readonly LockedPackage[] => {
      const name = toText(getField(entry, 'name'));
      if (name === null) return [];
      const isForeign = ['git', 'path', 'url', 'vcs', 'directory', 'archive'].some(
        (origin) => getField(entry, origin) !== undefined,
      );
      const groups = toList(getField(entry, 'groups'));
      const isDev = groups.length > 0 && !groups.includes('default');
      const version = isForeign ? '' : (toText(getField(entry, 'version')) ?? '');
      return [{ name: normalizeName(name), version, ...(isDev ? { isDev } : {}) }];
    }),
  });
}
