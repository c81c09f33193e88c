import { countInsecure } from '../insecure.ts';
import { createLockFileFacts, type LockedPackage, type LockFileFacts } from '../package.ts';
import { listEntries, getField, tryParse, toText } from '../plain.ts';

/** Reads yarn.lock of yarn 1 and later; null when malformed. */
export async function readYarnLock(text: string): Promise<LockFileFacts | null> {
  const { parseSyml } = await import('@yarnpkg/parsers');
  const root = tryParse(() => parseSyml(text));
  if (root === null) return null;
  const entries = listEntries(root).filter(([key]) => key !== '__metadata');
  const isClassic = getField(root, '__metadata') === undefined;
  const packages = new Map<string, LockedPackage & { readonly ranges: readonly string[] }>();
  for (const [key, entry] of entries)
    for (const pattern of key.split(/,\s*/)) {
      const [, name, reference] = /^(@?[^@]+)@(.*)$/s.exec(pattern) ?? [];
      if (name === undefined || reference === undefined) continue;
      const one = readEntry(name, reference, entry, isClassic);
      const id = `${one.alias ?? one.name}@${one.version}`;
      const ranges = packages.get(id)?.ranges ?? [];
      packages.set(id, { ...one, ranges: [...ranges, reference.replace(/^npm:(?:@?[^@]+@(?=.))?/, '')] });
    }
  return createLockFileFacts('npm', 'yarn', {
    packages: [...packages.values()],
    insecure: countInsecure(
      entries.map(([, entry]) => ({ address: readAddress(entry), isChecked: hasChecksum(entry) })),
    ),
  });
}

/** `reference`: what follows the installed name; of an alias it is `npm:name@range`. Later releases name the package in `resolution`. */
function readEntry(installed: string, reference: string, entry: unknown, isClassic: boolean): LockedPackage {
  const resolution = toText(getField(entry, 'resolution')) ?? '';
  const [, name = installed] = /^(@?[^@]+)@npm:/.exec(resolution) ?? /^npm:(@?[^@]+)@./.exec(reference) ?? [];
  const version = toText(getField(entry, 'version')) ?? '';
  const isOwn = !isClassic && toText(getField(entry, 'linkType')) === 'soft';
  const lacks = isClassic && /^https?:[^#]*\.tgz(?:#|$)/.test(readAddress(entry)) && !hasChecksum(entry);
  const alias = name === installed ? {} : { alias: installed };
  return { name, version: isOwn ? '' : version, ...alias, ...(lacks ? { lacksIntegrity: true } : {}) };
}

/** Yarn 1 stored the checksum after `#` in the address before it had the `integrity` field. */
function hasChecksum(entry: unknown): boolean {
  return toText(getField(entry, 'integrity')) !== null || /#[0-9a-f]{40,}$/.test(readAddress(entry));
}

function readAddress(entry: unknown): string {
  return toText(getField(entry, 'resolved')) ?? '';
}
