import type { Insecure } from './package.ts';

const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|[\w-]+\.localhost)$/;

/** Returns the host of an unencrypted remote address; null for every other address. */
export function insecureHost(address: string): string | null {
  if (!/^(?:\w+\+)?http:\/\//.test(address)) return null;
  try {
    const { hostname } = new URL(address.replace(/^\w+\+/, ''));
    return hostname === '' || LOCAL.test(hostname) ? null : hostname;
  } catch {
    return null;
  }
}

/** Groups unencrypted addresses by host and counts them. */
export function insecureOf(
  addresses: Iterable<{ readonly address: string; readonly line?: number | undefined; readonly isChecked?: boolean }>,
): readonly Insecure[] {
  const hosts = new Map<string, Insecure>();
  for (const { address, line, isChecked = false } of addresses) {
    const host = insecureHost(address);
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
