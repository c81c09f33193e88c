import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { isPublicAddress } from '@signalbox/safety/public-address';
import { quoteShellWord } from '../drivers/quote-shell-word.ts';
import type { RepositoryAddress } from './repository-address.ts';

/** Git options that allow a connection to exactly one address. */
export interface AddressPin {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A further folder that git must read; null for none. */
  readonly trustDir: string | null;
}

/** Settings of the operator for repository hosts. */
export interface RepositoryHosts {
  readonly privateOnes: readonly string[];
  /** A folder with `known_hosts` and `ca.pem`; null for the machine's own trust. */
  readonly trustDir: string | null;
}

/**
 * Resolves the host of a repository once and pins git to that address, without redirects. Refuses a host with a private address unless
 * the operator has named it, because anybody who may read can choose the address. Throws REPOSITORY_REFUSED, REPOSITORY_UNREADABLE.
 */
export async function pinRepository(
  { url, protocol, shown: repository }: RepositoryAddress,
  { privateOnes, trustDir }: RepositoryHosts,
  resolve: (host: string) => Promise<readonly { readonly address: string }[]> = (host) => lookup(host, { all: true }),
): Promise<AddressPin> {
  if (protocol === 'file') return { words: [], env: {}, trustDir: null };
  const { host, port } = hostOf(url);
  const found = await resolve(host).catch((error: unknown) => {
    throw new AppError(
      'REPOSITORY_UNREADABLE',
      { repository, detail: say('repository.hostNotFound', { host }) },
      error,
    );
  });
  const refused = found.find(({ address }) => !isPublicAddress(address));
  if (refused && !privateOnes.includes(host))
    throw new AppError('REPOSITORY_REFUSED', {
      repository,
      detail: say('repository.notPublic', { host, address: refused.address }),
    });
  const address = found[0]?.address ?? '';
  const bracketed = address.includes(':') ? `[${address}]` : address;
  const trusted = (name: string): string | null => {
    const file = trustDir && join(trustDir, name);
    return file && existsSync(file) ? file : null;
  };
  if (protocol === 'https') {
    const authority = privateOnes.includes(host) ? trusted('ca.pem') : null;
    const settings = [
      `http.curloptResolve=${host}:${port ?? 443}:${bracketed}`,
      'http.followRedirects=false',
      'http.proxy=',
      ...(authority === null ? [] : [`http.sslCAInfo=${authority}`]),
    ];
    return { words: settings.flatMap((setting) => ['-c', setting]), env: {}, trustDir };
  }
  const knownHosts = trusted('known_hosts');
  const options = [
    ['BatchMode=yes', 'StrictHostKeyChecking=yes', 'ConnectTimeout=10', `HostName=${address}`, `HostKeyAlias=${host}`],
    knownHosts === null ? [] : [`UserKnownHostsFile="${knownHosts}"`],
  ].flat();
  const words = options.map((option) => `-o ${quoteShellWord(option)}`);
  return { words: [], env: { GIT_SSH_COMMAND: `ssh -F none ${words.join(' ')}` }, trustDir };
}

/** True when both are at one host, port and protocol, so that the login of one may be shown to the other. Pure. */
export function isSameHost(one: RepositoryAddress, other: RepositoryAddress): boolean {
  if (one.protocol !== other.protocol || one.protocol === 'file') return false;
  const [first, second] = [hostOf(one.url), hostOf(other.url)];
  return first.host === second.host && first.port === second.port;
}

/** Host names have only safe characters, so they can be part of a setting or command. */
function hostOf(url: string): { readonly host: string; readonly port: string | null } {
  const short = /^[A-Za-z0-9._-]+@([A-Za-z0-9][A-Za-z0-9.-]*):/.exec(url);
  if (short?.[1]) return { host: short[1].toLowerCase(), port: null };
  const { hostname, port } = new URL(url);
  const host = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (!/^[a-z0-9][a-z0-9.:-]*$/.test(host))
    throw new AppError('REPOSITORY_REFUSED', {
      repository: url.replace(/\/\/[^/@]*@/, '//').slice(0, 200),
      detail: say('repository.hostNoName'),
    });
  return { host, port: port === '' ? null : port };
}
