import type { ForgeKind } from './forge.ts';

/** One forge: its kind, the address that people see, and the address of its API. */
export interface ForgeSettings {
  readonly kind: ForgeKind;
  /** Without a slash at its end. */
  readonly web: string;
  /** Without a slash at its end. */
  readonly api: string;
}

/** A repository at a forge, as its API names it. */
export interface ForgeRepository {
  readonly forge: ForgeSettings;
  /** Names of the owner or groups, and of the repository. */
  readonly names: readonly string[];
}

const API_PATHS = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1', none: '' } as const;

/** Forges that need no setting. */
const KNOWN_FORGES: readonly ForgeSettings[] = [
  { kind: 'github', web: 'https://github.com', api: 'https://api.github.com' },
  { kind: 'gitlab', web: 'https://gitlab.com', api: 'https://gitlab.com/api/v4' },
  { kind: 'gitea', web: 'https://codeberg.org', api: 'https://codeberg.org/api/v1' },
  { kind: 'gitea', web: 'https://gitea.com', api: 'https://gitea.com/api/v1' },
];

/**
 * Parses the setting FORGES, such as `gitlab https://git.corp, gitea https://code.corp https://code.corp/api/v1`; the last address is that
 * of the API. Configured forges come before the known ones. Returns the first entry that is wrong as `problem`. Pure.
 */
export function parseForges(text: string): {
  readonly forges: readonly ForgeSettings[];
  readonly problem: string | null;
} {
  const forges: ForgeSettings[] = [];
  for (const entry of text.split(',').map((one) => one.trim())) {
    if (entry === '') continue;
    const [kind = '', web = '', api, ...rest] = entry.split(/\s+/);
    const addresses = [web, ...(api === undefined ? [] : [api])].map(trimAddress);
    const [at, apiAt] = addresses;
    if (!isForgeKind(kind) || !at || apiAt === null || rest.length > 0) return { forges: [], problem: entry };
    forges.push({ kind, web: at, api: apiAt ?? `${at}${API_PATHS[kind]}` });
  }
  return { forges: [...forges, ...KNOWN_FORGES], problem: null };
}

/** Finds the forge of a repository's address, and its names there; null when no forge has this address. Pure. */
export function findForgeRepository(
  url: string,
  protocol: 'https' | 'ssh' | 'file',
  forges: readonly ForgeSettings[],
): ForgeRepository | null {
  const place = protocol === 'file' ? null : toPlace(url, protocol);
  if (place === null) return null;
  for (const forge of forges) {
    const web = new URL(forge.web);
    // Ports of ssh and https differ, so an ssh address is compared by its host.
    if (protocol === 'https' ? web.host !== place.host : web.hostname !== place.host) continue;
    const folder = protocol === 'https' ? web.pathname.replace(/\/$/, '') : '';
    if (!place.path.startsWith(`${folder}/`)) continue;
    const names = place.path
      .slice(folder.length + 1)
      .replace(/\/+$/, '')
      .replace(/\.git$/, '')
      .split('/');
    const isWhole = names.every((name) => /^[\w.-]+$/.test(name) && !/^\.+$/.test(name));
    const isDeep = forge.kind === 'gitlab' ? names.length >= 2 : names.length === 2;
    return isWhole && isDeep ? { forge, names } : null;
  }
  return null;
}

function toPlace(url: string, protocol: 'https' | 'ssh'): { readonly host: string; readonly path: string } | null {
  const short = protocol === 'ssh' ? /^[^/@:]+@([^/@:]+):\/?(.+)$/.exec(url) : null;
  if (short?.[1] && short[2]) return { host: short[1].toLowerCase(), path: `/${short[2]}` };
  if (!URL.canParse(url)) return null;
  const { host, hostname, pathname } = new URL(url);
  return { host: protocol === 'https' ? host : hostname.toLowerCase(), path: pathname };
}

function isForgeKind(kind: string): kind is ForgeKind {
  return Object.hasOwn(API_PATHS, kind);
}

/** Returns an https address without a login, query and slash at its end; null for any other. */
function trimAddress(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, username, password, search, hash, href } = new URL(address);
  if (protocol !== 'https:' || username || password || search || hash) return null;
  return href.replace(/\/+$/, '');
}
