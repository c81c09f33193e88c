import { insecureOf } from '../insecure.ts';
import type { LockFacts, Locked, ManifestFacts, Wanted } from '../package.ts';
import { entriesOf, fieldOf, isPlain, linesOfNames, listOf, parsed, pathOf, textOf } from '../plain.ts';
import { readOrigin } from './pyproject.ts';
import { normalName } from './requirement.ts';

/** Reads a Pipfile; null when it is not valid TOML. */
export async function readPipfile(text: string): Promise<ManifestFacts | null> {
  const { parse } = await import('smol-toml');
  const root = parsed(() => parse(text));
  if (root === null) return null;
  const lineOf = linesOfNames(text);
  const read = (group: string, isDev: boolean): readonly Wanted[] =>
    entriesOf(fieldOf(root, group)).map(([name, value]) => {
      const origin = readOrigin(value);
      const line = lineOf(name);
      return {
        name: normalName(name),
        range: origin ? null : (textOf(value) ?? textOf(fieldOf(value, 'version'))),
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
    insecure: insecureOf(
      addressesOf(fieldOf(root, 'source')).map((address) => ({ address, line: lineOf('url', address) })),
    ),
  };
}

/** Reads Pipfile.lock; null when it is malformed. */
export function readPipfileLock(text: string): LockFacts | null {
  const root = parsed(() => JSON.parse(text));
  if (!isPlain(root)) return null;
  const read = (group: string, isDev: boolean): readonly Locked[] =>
    entriesOf(root[group]).map(([name, entry]) => {
      const version = textOf(fieldOf(entry, 'version'))?.replace(/^===?/, '') ?? '';
      const lacks = version !== '' && listOf(fieldOf(entry, 'hashes')).length === 0;
      return {
        name: normalName(name),
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
    insecure: insecureOf(
      addressesOf(pathOf(root, '_meta', 'sources')).map((address) => ({ address, isChecked: true })),
    ),
  };
}

function addressesOf(sources: unknown): readonly string[] {
  return listOf(sources).flatMap((one) => textOf(fieldOf(one, 'url')) ?? []);
}
