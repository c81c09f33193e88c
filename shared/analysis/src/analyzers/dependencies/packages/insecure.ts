import type { InsecureServer } from './package.ts';

const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|[\w-]+\.localhost)$/;

/** Returns the host of an unencrypted remote address; null for every other address. */
export function findInsecureHost(address: string | null): string | null {
  if (address === null || !/^(?:\w+\+)?http:\/\//.test(address)) return null;
  try {
    const { hostname } = new URL(address.replace(/^\w+\+/, ''));
    return hostname === '' || LOCAL.test(hostname) ? null : hostname;
  } catch {
    return null;
  }
}

/** Counts unencrypted addresses by host. `isChecked`: a checksum protects the download. */
export function countInsecure(
  addresses: Iterable<{ readonly address: string | null; readonly line?: number; readonly isChecked?: boolean }>,
): readonly InsecureServer[] {
  const hosts = new Map<string, InsecureServer>();
  for (const { address, line, isChecked = false } of addresses) {
    const host = findInsecureHost(address);
    if (host === null) continue;
    const known = hosts.get(host);
    const first = known?.line ?? line;
    hosts.set(host, {
      host,
      count: (known?.count ?? 0) + 1,
      isChecked: isChecked && (known?.isChecked ?? true),
      ...(first === undefined ? {} : { line: first }),
    });
  }
  return [...hosts.values()];
}
