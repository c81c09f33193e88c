import { insecureOf } from '../insecure.ts';
import type { LockFacts, Locked } from '../package.ts';
import { entriesOf, fieldOf, parsed, textOf } from '../plain.ts';

/** Reads yarn.lock of yarn 1 and later; null when malformed. */
export async function readYarnLock(text: string): Promise<LockFacts | null> {
  const { parseSyml } = await import('@yarnpkg/parsers');
  const root = parsed(() => parseSyml(text));
  if (root === null) return null;
  const entries = entriesOf(root).filter(([key]) => key !== '__metadata');
  const isClassic = fieldOf(root, '__metadata') === undefined;
  const packages = new Map<string, Locked & { readonly ranges: readonly string[] }>();
  for (const [key, entry] of entries)
    for (const pattern of key.split(/,\s*/)) {
      const [, name, reference] = /^(@?[^@]+)@(.*)$/s.exec(pattern) ?? [];
      if (name === undefined || reference === undefined) continue;
      const one = readEntry(name, entry, isClassic);
      const id = `${one.name}@${one.version}`;
      const ranges = packages.get(id)?.ranges ?? [];
      packages.set(id, { ...one, ranges: [...ranges, reference.replace(/^npm:/, '')] });
    }
  return {
    role: 'lock',
    ecosystem: 'npm',
    manager: 'yarn',
    packages: [...packages.values()],
    forced: [],
    insecure: insecureOf(
      entries.flatMap(([, entry]) => {
        const address = textOf(fieldOf(entry, 'resolved'));
        return address === null ? [] : [{ address, isChecked: isChecked(entry, address) }];
      }),
    ),
  };
}

function readEntry(name: string, entry: unknown, isClassic: boolean): Locked {
  const version = textOf(fieldOf(entry, 'version')) ?? '';
  const resolved = textOf(fieldOf(entry, 'resolved')) ?? '';
  const isOwn = !isClassic && textOf(fieldOf(entry, 'linkType')) === 'soft';
  const lacks = isClassic && /^https?:[^#]*\.tgz(?:#|$)/.test(resolved) && !isChecked(entry, resolved);
  return { name, version: isOwn ? '' : version, ...(lacks ? { lacksIntegrity: true } : {}) };
}

/** Yarn 1 stored the checksum after `#` in the address before it had the `integrity` field. */
function isChecked(entry: unknown, resolved: string): boolean {
  return textOf(fieldOf(entry, 'integrity')) !== null || /#[0-9a-f]{40,}$/.test(resolved);
}
