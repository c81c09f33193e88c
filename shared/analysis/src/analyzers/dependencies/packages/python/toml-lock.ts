import { insecureOf } from '../insecure.ts';
import type { LockFacts, Locked } from '../package.ts';
import { entriesOf, fieldOf, isPlain, listOf, parsed, pathOf, textOf, collectTexts } from '../plain.ts';
import { normalName } from './requirement.ts';

/** Reads poetry.lock; null when it is malformed. */
export async function readPoetryLock(text: string): Promise<LockFacts | null> {
  const root = await readToml(text);
  if (!root) return null;
  // Format 1 lists checksums in `metadata` at the end.
  const hashes = new Map(
    entriesOf(pathOf(root, 'metadata', 'files')).map(([name, files]) => [normalName(name), files]),
  );
  const entries = listOf(root['package']);
  return {
    role: 'lock',
    ecosystem: 'PyPI',
    manager: 'poetry',
    packages: entries.flatMap((entry) =>
      readEntry(entry, {
        isForeign: ['git', 'directory', 'file', 'url'].includes(textOf(pathOf(entry, 'source', 'type')) ?? ''),
        files: [
          ...listOf(fieldOf(entry, 'files')),
          ...listOf(hashes.get(normalName(textOf(fieldOf(entry, 'name')) ?? ''))),
        ],
        isDev: isPoetryDev(entry),
      }),
    ),
    forced: [],
    insecure: insecureOf(
      entries.flatMap((entry) => {
        const address = textOf(pathOf(entry, 'source', 'url'));
        return address === null ? [] : [{ address, isChecked: true }];
      }),
    ),
  };
}

/** Reads uv.lock; null when it is malformed. */
export async function readUvLock(text: string): Promise<LockFacts | null> {
  const root = await readToml(text);
  if (!root) return null;
  const entries = listOf(root['package']);
  return {
    role: 'lock',
    ecosystem: 'PyPI',
    manager: 'uv',
    packages: entries.flatMap((entry) =>
      readEntry(entry, {
        isForeign: textOf(pathOf(entry, 'source', 'registry')) === null,
        files: [fieldOf(entry, 'sdist'), ...listOf(fieldOf(entry, 'wheels'))].filter((file) => file !== undefined),
        isDev: false,
      }),
    ),
    forced: listOf(pathOf(root, 'manifest', 'overrides')).flatMap((one) => textOf(fieldOf(one, 'name')) ?? []),
    insecure: insecureOf(
      entries.flatMap((entry) => {
        const address = textOf(pathOf(entry, 'source', 'registry'));
        return address === null ? [] : [{ address, isChecked: true }];
      }),
    ),
  };
}

async function readToml(text: string): Promise<Readonly<Record<string, unknown>> | null> {
  const { parse } = await import('smol-toml');
  const root = parsed(() => parse(text));
  return isPlain(root) ? root : null;
}

/** Reads a package; it has no version unless it comes from a registry. */
function readEntry(
  entry: unknown,
  {
    isForeign,
    files,
    isDev,
  }: { readonly isForeign: boolean; readonly files: readonly unknown[]; readonly isDev: boolean },
): readonly Locked[] {
  const name = textOf(fieldOf(entry, 'name'));
  if (name === null) return [];
  const lacks = !isForeign && (files.length === 0 || files.some((file) => textOf(fieldOf(file, 'hash')) === null));
  return [
    {
      name: normalName(name),
      version: isForeign ? '' : (textOf(fieldOf(entry, 'version')) ?? ''),
      ...(isDev ? { isDev: true } : {}),
      ...(lacks ? { lacksIntegrity: true } : {}),
    },
  ];
}

function isPoetryDev(entry: unknown): boolean {
  const groups = collectTexts(fieldOf(entry, 'groups'));
  return textOf(fieldOf(entry, 'category')) === 'dev' || (groups.length > 0 && !groups.includes('main'));
}
