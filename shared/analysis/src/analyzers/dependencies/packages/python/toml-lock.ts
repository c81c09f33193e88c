import { countInsecure } from '../insecure.ts';
import { createLockFileFacts, type LockedPackage, type LockFileFacts } from '../package.ts';
import { getField, getNestedField, listEntries, listTexts, parseToml, toList, toText } from '../plain.ts';
import { normalizeName } from './requirement.ts';

/** Reads poetry.lock; null when it is malformed. */
export async function readPoetryLock(text: string): Promise<LockFileFacts | null> {
  const root = await parseToml(text);
  if (!root) return null;
  // Format 1 of poetry.lock lists checksums in `metadata` at the end.
  const hashes = new Map(
    listEntries(getNestedField(root, 'metadata', 'files')).map(([name, files]) => [normalizeName(name), files]),
  );
  const entries = toList(root['package']);
  return createLockFileFacts('PyPI', 'poetry', {
    packages: entries.flatMap((entry) =>
      readEntry(entry, {
        isForeign: ['git', 'directory', 'file', 'url'].includes(toText(getNestedField(entry, 'source', 'type')) ?? ''),
        files: [
          ...toList(getField(entry, 'files')),
          ...toList(hashes.get(normalizeName(toText(getField(entry, 'name')) ?? ''))),
        ],
        isDev: isPoetryDev(entry),
      }),
    ),
    insecure: countInsecure(
      entries.map((entry) => ({ address: toText(getNestedField(entry, 'source', 'url')), isChecked: true })),
    ),
  });
}

/** Reads uv.lock; null when it is malformed. */
export async function readUvLock(text: string): Promise<LockFileFacts | null> {
  const root = await parseToml(text);
  if (!root) return null;
  const entries = toList(root['package']);
  return createLockFileFacts('PyPI', 'uv', {
    packages: entries.flatMap((entry) =>
      readEntry(entry, {
        isForeign: toText(getNestedField(entry, 'source', 'registry')) === null,
        files: [getField(entry, 'sdist'), ...toList(getField(entry, 'wheels'))].filter((file) => file !== undefined),
        isDev: false,
      }),
    ),
    forced: toList(getNestedField(root, 'manifest', 'overrides')).flatMap((one) => toText(getField(one, 'name')) ?? []),
    insecure: countInsecure(
      entries.map((entry) => ({ address: toText(getNestedField(entry, 'source', 'registry')), isChecked: true })),
    ),
  });
}

function readEntry(
  entry: unknown,
  traits: { readonly isForeign: boolean; readonly files: readonly unknown[]; readonly isDev: boolean },
): readonly LockedPackage[] {
  const { isForeign, files, isDev } = traits;
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
