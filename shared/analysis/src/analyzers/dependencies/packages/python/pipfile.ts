import { countInsecure } from '../insecure.ts';
import type { LockFacts, LockedPackage, ManifestFacts, Dependency } from '../package.ts';
import { listEntries, getField, isPlain, indexNameLines, toList, tryParse, getPath, toText } from '../plain.ts';
import { readOrigin } from './pyproject.ts';
import { normalizeName } from './requirement.ts';

/** Reads a Pipfile; null when it is not valid TOML. */
export async function readPipfile(text: string): Promise<ManifestFacts | null> {
  const { parse } = await import('smol-toml');
  const root = tryParse(() => parse(text));
  if (root === null) return null;
  const lineOf = indexNameLines(text);
  const read = (group: string, isDev: boolean): readonly Dependency[] =>
    listEntries(getField(root, group)).map(([name, value]) => {
      const origin = readOrigin(value);
      const line = lineOf(name);
      return {
        name: normalizeName(name),
        range: origin ? null : (toText(value) ?? toText(getField(value, 'version'))),
        ...(isDev ? { isDev: true } : {}),
        ...(origin ? { origin } : {}),
        ...(line === undefined ? {} : { line }),
      };
    });
  return {
    role: 'manifest',
    ecosystem: 'PyPI',
    manager: 'pipenv',
    name: null,
    isLibrary: false,
    members: [],
    wanted: [...read('packages', false), ...read('dev-packages', true)],
    forced: [],
    insecure: countInsecure(
      addressesOf(getField(root, 'source')).map((address) => ({ address, line: lineOf('url', address) })),
    ),
  };
}

/** Reads Pipfile.lock; null when it is malformed. */
export function readPipfileLock(text: string): LockFacts | null {
  const root = tryParse(() => JSON.parse(text));
  if (!isPlain(root)) return null;
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
  return {
    role: 'lock',
    ecosystem: 'PyPI',
    manager: 'pipenv',
    packages: [...read('default', false), ...read('develop', true)],
    forced: [],
    insecure: countInsecure(
      addressesOf(getPath(root, '_meta', 'sources')).map((address) => ({ address, isChecked: true })),
    ),
  };
}

function addressesOf(sources: unknown): readonly string[] {
  return toList(sources).flatMap((one) => toText(getField(one, 'url')) ?? []);
}
