import { createLockFileFacts, type LockedPackage, type LockFileFacts } from '../package.ts';
import { getField, isPlainObject, listEntries, toList, toText, tryParse } from '../plain.ts';

/** Reads bun.lock, JSON with comments and trailing commas; null when malformed. The binary bun.lockb cannot be read. */
export function readBunLock(text: string): LockFileFacts | null {
  const root = tryParse(() => JSON.parse(toPlainJson(text)));
  if (!isPlainObject(root)) return null;
  return createLockFileFacts('npm', 'bun', {
    packages: listEntries(getField(root, 'packages')).flatMap(([key, entry]) => readEntry(key, entry)),
  });
}

/** An entry is a list: `name@version`, the registry, details and the checksum. Of other origins, the version is an address. */
function readEntry(key: string, entry: unknown): readonly LockedPackage[] {
  const resolved = toText(toList(entry)[0]) ?? '';
  const [, name, version = ''] = /^(@?[^@]+)@(.*)$/s.exec(resolved) ?? [];
  if (name === undefined || !/^\d/.test(version)) return [];
  const installed = key.slice(key.lastIndexOf('/', key.lastIndexOf('@') > 0 ? key.lastIndexOf('@') : undefined) + 1);
  return [{ name, version, ...(name.endsWith(installed) ? {} : { alias: installed }) }];
}

/** Removes comments and trailing commas outside of strings, in one pass: what is not closed reaches to the end. */
function toPlainJson(text: string): string {
  return text.replaceAll(
    /("(?:[^"\\]|\\[^])*(?:"|$))|\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/|$)|,(?=\s*[}\]])/g,
    (_, quoted: string | undefined) => quoted ?? '',
  );
}
