import { lookup } from 'node:dns/promises';
import { AppError } from '@signalbox/contracts/errors';
import { isPublicAddress } from '@signalbox/safety/public-address';
import type { RepositoryAddress } from './repository-address.ts';

/** The options with which git connects to one address and no other. */
export interface Pin {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Resolves the host of a repository once, and pins git to what was found, redirects refused. An address comes from data, and whoever
 * may only look can have it connected to: so a host that has an address which is not public is refused, unless `privateHosts` names
 * it. Throws REPOSITORY_REFUSED and REPOSITORY_UNREADABLE.
 */
export async function pinRepository(
  { url, protocol, shown: repository }: RepositoryAddress,
  privateHosts: readonly string[],
  resolve: (host: string) => Promise<readonly { readonly address: string }[]> = (host) => lookup(host, { all: true }),
): Promise<Pin> {
  if (protocol === 'file') return { words: [], env: {} };
  const { host, port } = hostOf(url);
  const found = await resolve(host).catch((error: unknown) => {
    throw new AppError('REPOSITORY_UNREADABLE', { repository, detail: `the host ${host} cannot be found` }, error);
  });
  const refused = found.find(({ address }) => !isPublicAddress(address));
  if (refused && !privateHosts.includes(host))
    throw new AppError('REPOSITORY_REFUSED', {
      repository,
      detail: `${host} is at ${refused.address}, which is not public; an operator may allow it with REPOSITORY_PRIVATE_HOSTS`,
    });
  const address = found[0]?.address ?? '';
  const bracketed = address.includes(':') ? `[${address}]` : address;
  if (protocol === 'https')
    return {
      words: [
        '-c',
        `http.curloptResolve=${host}:${port ?? 443}:${bracketed}`,
        '-c',
        'http.followRedirects=false',
        '-c',
        'http.proxy=',
      ],
      env: {},
    };
  const ssh = 'ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=10';
  return { words: [], env: { GIT_SSH_COMMAND: `${ssh} -o HostName=${address} -o HostKeyAlias=${host}` } };
}

/** Host names are few letters, so that one can stand in a setting or a command as it is. */
function hostOf(url: string): { readonly host: string; readonly port: string | null } {
  const short = /^[A-Za-z0-9._-]+@([A-Za-z0-9][A-Za-z0-9.-]*):/.exec(url);
  if (short?.[1]) return { host: short[1].toLowerCase(), port: null };
  const { hostname, port } = new URL(url);
  const host = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (!/^[a-z0-9][a-z0-9.:-]*$/.test(host))
    throw new AppError('REPOSITORY_REFUSED', {
      repository: url.replace(/\/\/[^/@]*@/, '//').slice(0, 200),
      detail: 'its host is no name',
    });
  return { host, port: port === '' ? null : port };
}
