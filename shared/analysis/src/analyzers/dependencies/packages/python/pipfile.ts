import { countInsecure } from '../insecure.ts';
import { createLockFileFacts, createManifestFacts } from '../package.ts';
import type { LockFileFacts, LockedPackage, ManifestFacts, Dependency } from '../package.ts';
import {
  getField,
  getNestedField,
  indexNameLines,
  isPlainObject,
  listEntries,
  parseToml,
  toList,
  toText,
  tryParse,
} from '../plain.ts';
import { readTableDependency } from './pyproject.ts';
import { normalizeName } from './requirement.ts';

/** Reads a Pipfile; null when it is not valid TOML. */
export async function readPipfile(text: string): Promise<ManifestFacts | null> {
  const root = await parseToml(text);
  if (!root) return null;
  const lineOf = indexNameLines(text);
  const read = (group: string, isDev: boolean): readonly Dependency[] =>
    listEntries(root[group]).map(([name, value]) => ({
      ...readTableDependency(name, value, isDev),
      ...lineOf(name),
    }));
  return createManifestFacts('PyPI', 'pipenv', {
    wanted: [...read('packages', false), ...read('dev-packages', true)],
    insecure: countInsecure(listAddresses(root['source']).map((address) => ({ address, ...lineOf('url', address) }))),
  });
}

/** Reads Pipfile.lock; null when it is malformed. */
export function readPipfileLock(text: string): LockFileFacts | null {
  const root = tryParse(() => JSON.parse(text));
  if (!isPlainObject(root)) return null;
  const read = (group: string, isDev: boolean): readonly LockedPackage[] =>
    listEntries(root[group]).map(([name, entry]) => {
      const version = toText(getField(entry, 'version'))?.replace(/^===?/, '') ?? '';
      const lacks = version !== '' && toList(getField(entry, 'hashes')).length === 0;
      return {
        name: normalizeName(name),
        version,
        ...(isDev ? { isDev: true } : {}),
        ...(lacks ? { lacksIntegrity: true } : {}),
      };
    });
  return createLockFileFacts('PyPI', 'pipenv', {
    packages: [...read('default', false), ...read('develop', true)],
    insecure: countInsecure(
      listAddresses(getNestedField(root, '_meta', 'sources')).map((address) => ({ address, isChecked: true })),
    ),
  });
}

function listAddresses(sources: unknown): readonly string[] {
  return toList(sources).flatMap((one) => toText(getField(one, 'url')) ?? []);
}
