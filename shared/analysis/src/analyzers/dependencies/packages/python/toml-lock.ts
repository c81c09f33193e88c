import { countInsecure } from '../insecure.ts';
import type { LockFacts, LockedPackage } from '../package.ts';
import { listEntries, getField, isPlain, toList, tryParse, getPath, toText, listTexts } from '../plain.ts';
import { normalizeName } from './requirement.ts';

/** Reads poetry.lock; null when it is malformed. */
export async function readPoetryLock(text: string): Promise<LockFacts | null> {
  const root = await readToml(text);
  if (!root) return null;
  // Format 1 lists checksums in `metadata` at the end.
  const hashes = new Map(
    listEntries(getPath(root, 'metadata', 'files')).map(([name, files]) => [normalizeName(name), files]),
  );
  const entries = toList(root['package']);
  return {
    role: 'lock',
    ecosystem: 'PyPI',
    manager: 'poetry',
    packages: entries.flatMap((entry) =>
      readEntry(entry, {
        isForeign: ['git', 'directory', 'file', 'url'].includes(toText(getPath(entry, 'source', 'type')) ?? ''),
        files: [
          ...toList(getField(entry, 'files')),
          ...toList(hashes.get(normalizeName(toText(getField(entry, 'name')) ?? ''))),
        ],
        isDev: isPoetryDev(entry),
      }),
    ),
    forced: [],
    insecure: countInsecure(
      entries.flatMap((entry) => {
        const address = toText(getPath(entry, 'source', 'url'));
        return address === null ? [] : [{ address, isChecked: true }];
      }),
    ),
  };
}

/** Reads uv.lock; null when it is malformed. */
export async function readUvLock(text: string): Promise<LockFacts | null> {
  const root = await readToml(text);
  if (!root) return null;
  const entries = toList(root['package']);
  return {
    role: 'lock',
    ecosystem: 'PyPI',
    manager: 'uv',
    packages: entries.flatMap((entry) =>
      readEntry(entry, {
        isForeign: toText(getPath(entry, 'source', 'registry')) === null,
        files: [getField(entry, 'sdist'), ...toList(getField(entry, 'wheels'))].filter((file) => file !== undefined),
        isDev: false,
      }),
    ),
    forced: toList(getPath(root, 'manifest', 'overrides')).flatMap((one) => toText(getField(one, 'name')) ?? []),
    insecure: countInsecure(
      entries.flatMap((entry) => {
        const address = toText(getPath(entry, 'source', 'registry'));
        return address === null ? [] : [{ address, isChecked: true }];
      }),
    ),
  };
}

async function readToml(text: string): Promise<Readonly<Record<string, unknown>> | null> {
  const { parse } = await import('smol-toml');
  const root = tryParse(() => parse(text));
  return isPlain(root) ? root : null;
}

function readEntry(
  entry: unknown,
  {
    isForeign,
    files,
    isDev,
  }: { readonly isForeign: boolean; readonly files: readonly unknown[]; readonly isDev: boolean },
): readonly LockedPackage[] {
  const name = toText(getField(entry, 'name'));
  if (name === null) return [];
  const lacks = !isForeign && (files.length === 0 || files.some((file) => toText(getField(file, 'hash')) === null));
  return [
    {
      name: normalizeName(name),
      version: isForeign ? '' : (toText(getField(entry, 'version')) ?? ''),
      ...(isDev ? { isDev: true } : {}),
      ...(lacks ? { lacksIntegrity: true } : {}),
    },
  ];
}

function isPoetryDev(entry: unknown): boolean {
  const groups = listTexts(getField(entry, 'groups'));
  return toText(getField(entry, 'category')) === 'dev' || (groups.length > 0 && !groups.includes('main'));
}
