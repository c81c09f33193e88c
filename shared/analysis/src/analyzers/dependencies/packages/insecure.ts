import type { Insecure } from './package.ts';

const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|[\w-]+\.localhost)$/;

/** The host of an address that is read without encryption from another machine; null for every other address. */
export function insecureHost(address: string): string | null {
  if (!/^(?:\w+\+)?http:\/\//.test(address)) return null;
  try {
    const { hostname } = new URL(address.replace(/^\w+\+/, ''));
    return hostname === '' || LOCAL.test(hostname) ? null : hostname;
  } catch {
    return null;
  }
}

/** Counts addresses by their host. */
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
