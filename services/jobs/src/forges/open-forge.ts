import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { Agent } from 'undici';
import type { Git } from '../git/git.ts';
import { pinRepository, type RepositoryHosts } from '../git/public-address.ts';
import { parseRepository, type RepositoryAddress } from '../git/repository-address.ts';
import { openLogin, type Repository } from '../git/repository-login.ts';
import type { ForgeProtocol } from './forge-api.ts';
import { createForgeClient, type ForgeClient, type ForgeLimits } from './forge-client.ts';
import { findForgeRepository, type ForgeRepository, type ForgeSettings } from './forge-settings.ts';
import type { Forge } from './forge.ts';
import { GITEA } from './hosts/gitea.ts';
import { fetchInstallationToken, isFresh, parseGithubApp, type InstallationToken } from './hosts/github-app.ts';
import { GITHUB } from './hosts/github.ts';
import { GITLAB } from './hosts/gitlab.ts';
import { createNoForge } from './no-forge.ts';
import { pushBranch } from './push-branch.ts';
import { createRestForge } from './rest-forge.ts';

/** Finds the forge of a project by its repository's address. Throws REPOSITORY_REFUSED. */
export type FindForge = (project: string, repository: Repository) => Forge;

export interface Forges {
  readonly findForge: FindForge;
  /** Turns a login into what git takes: the login of a GitHub App becomes a token. Throws FORGE_REFUSED, FORGE_AWAY. */
  exchangeLogin(login: string, address: RepositoryAddress, signal: AbortSignal): Promise<string>;
}

export interface ForgesOptions {
  readonly git: Git;
  /** The data folder of mirrors. */
  readonly dir: string;
  readonly repositoriesDirs: readonly string[];
  readonly forges: readonly ForgeSettings[];
  readonly hosts: RepositoryHosts;
  readonly limits?: Partial<ForgeLimits>;
}

/** Folder for branches of projects without a forge. */
const KEPT = 'changes';
const PROTOCOLS = { github: GITHUB, gitlab: GITLAB, gitea: GITEA } as const;
const NAMES = { github: 'GitHub', gitlab: 'GitLab', gitea: 'Gitea' } as const;
/** Hosts whose name says no more than the name of the software. */
const PUBLIC = new Set(['github.com', 'gitlab.com']);

type RestKind = keyof typeof PROTOCOLS;
type RestPlace = ForgeRepository & { readonly forge: ForgeSettings & { readonly kind: RestKind } };

/** Opens the forges of all projects. */
export function createForges(options: ForgesOptions): Forges {
  const { git, hosts, limits } = options;
  const dispatcher = new Agent({ connect: { ca: readAuthorities(hosts.trustDir) } });
  const tokens = new Map<string, InstallationToken>();
  const findPlace = ({ url, protocol }: RepositoryAddress): RestPlace | null => {
    const found = findForgeRepository(url, protocol, options.forges);
    return found && found.forge.kind !== 'none' ? (found as RestPlace) : null; // The line above excludes the other kind
  };
  const connect = ({ forge }: RestPlace, shown: string, protocol: ForgeProtocol, authorize: ClientLogin): ForgeClient =>
    createForgeClient({
      api: forge.api,
      name: nameForge(forge),
      repository: shown,
      rights: protocol.rights,
      headers: protocol.headers,
      authorize,
      dispatcher,
      ...(limits ? { limits } : {}),
    });
  const toToken = async (login: string, place: RestPlace, shown: string, signal: AbortSignal): Promise<string> => {
    const app = place.forge.kind === 'github' ? parseGithubApp(login) : null;
    // A pair is the login of git; the API takes the token in it.
    if (app === null) return login.slice(login.indexOf(':') + 1);
    const key = createHash('sha256')
      .update(JSON.stringify([place.forge.api, place.names, app]))
      .digest('hex');
    const known = tokens.get(key);
    if (known && isFresh(known, Date.now())) return known.token;
    const client = connect(place, shown, GITHUB, () => Promise.resolve(''));
    const made = await fetchInstallationToken(client, app, place.names, signal);
    tokens.set(key, made);
    return made.token;
  };
  return {
    findForge(project, repository) {
      const address = parseRepository(repository.address, options.repositoriesDirs, []);
      const place = findPlace(address);
      if (place === null) return createNoForge({ git, dir: join(options.dir, KEPT), project });
      const protocol = PROTOCOLS[place.forge.kind];
      const { shown } = address;
      const { rights } = protocol;
      let opened: Promise<string> | null = null;
      const open = (): Promise<string> => {
        if (repository.login === null) return Promise.reject(client.refuse(say('forge.noToken', { rights })));
        if (address.protocol === 'ssh') return Promise.reject(client.refuse(say('forge.keyOnly', { rights })));
        return (opened ??= openLogin(repository.login, address));
      };
      const authorize: ClientLogin = async (signal) =>
        protocol.authorize(await toToken(await open(), place, shown, signal));
      const client = connect(place, shown, protocol, authorize);
      return createRestForge({
        kind: place.forge.kind,
        name: nameForge(place.forge),
        web: place.forge.web,
        client,
        api: protocol.connect(client, place.names),
        push: async (commit, signal) => {
          const login = await open();
          const isApp = parseGithubApp(login) !== null;
          const reachable = {
            ...address,
            pin: await pinRepository(address, hosts),
            login: isApp ? await toToken(login, place, shown, signal) : login,
          };
          const to = { ...reachable, forgeName: nameForge(place.forge), rights };
          return pushBranch(git, commit, to, signal);
        },
        ...(limits?.pauseMs === undefined ? {} : { pauseMs: limits.pauseMs }),
      });
    },
    async exchangeLogin(login, address, signal) {
      if (parseGithubApp(login) === null) return login;
      const place = findPlace(address);
      const detail = say('forge.appElsewhere');
      if (place?.forge.kind !== 'github')
        throw new AppError('REPOSITORY_REFUSED', { repository: address.shown, detail });
      return toToken(login, place, address.shown, signal);
    },
  };
}

type ClientLogin = (signal: AbortSignal) => Promise<string>;

function nameForge({ kind, web }: ForgeSettings & { readonly kind: RestKind }): string {
  const { host } = new URL(web);
  return PUBLIC.has(host) ? NAMES[kind] : say('forge.nameAt', { name: NAMES[kind], host });
}

/** Reads the certificates of private hosts, which git trusts too; undefined for the trust of the machine. */
export function readAuthorities(trustDir: RepositoryHosts['trustDir']): string | undefined {
  const file = trustDir && join(trustDir, 'ca.pem');
  return file && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
