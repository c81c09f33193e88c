import { existsSync, lstatSync, readlinkSync } from 'node:fs';

/** What a dynamically linked program needs of /etc. No keys, no names of people, no addresses. */
const FROM_ETC = ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'ssl/certs', 'localtime'];

/** How names are resolved and certificates checked, for what uses the network; also names in /etc. */
export const FOR_NETWORK = [
  'resolv.conf',
  'hosts',
  'host.conf',
  'nsswitch.conf',
  'gai.conf',
  'services',
  'ssl/openssl.cnf',
];

/** The programs and libraries of the system, read-only, as arguments of bubblewrap; `more` are names in /etc, if they are there. */
export function systemMounts(more: readonly string[] = []): readonly string[] {
  // On a merged system these are links into /usr; on others they are folders.
  const roots = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].flatMap((path) => {
    if (!existsSync(path)) return [];
    return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  });
  const etc = [...FROM_ETC, ...more].map((name) => `/etc/${name}`).flatMap((path) => ['--ro-bind-try', path, path]);
  return ['--ro-bind', '/usr', '/usr', ...roots, ...etc];
}
