import { existsSync, lstatSync, readlinkSync } from 'node:fs';

/** Names in /etc that dynamically linked programs need: no keys, people or addresses. */
const FROM_ETC = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'ssl/certs', 'localtime'];

/** Names in /etc for resolving hosts and checking certificates. */
export const NETWORK_FILES = [
  'resolv.conf',
  'hosts',
  'host.conf',
  'nsswitch.conf',
  'gai.conf',
  'services',
  'ssl/openssl.cnf',
];

/** Lists bubblewrap arguments that mount the system's programs and libraries read-only. `more`: further names in /etc. */
export function listSystemMounts(more: readonly string[] = []): readonly string[] {
  // On systems with a merged /usr these paths are links into /usr, on other systems folders.
  const roots = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].flatMap((path) => {
    if (!existsSync(path)) return [];
    return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  });
  const etc = [...FROM_ETC, ...more].map((name) => `/etc/${name}`).flatMap((path) => ['--ro-bind-try', path, path]);
  return ['--ro-bind', '/usr', '/usr', ...roots, ...etc];
}
