import { randomUUID } from 'node:crypto';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import type { RunSettings } from '@signalbox/contracts/operations/deploy';
import { HOUR_MS } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import type { ProjectRow } from '@signalbox/store/deploy/projects';
import type { JobContext } from '../runner/handlers.ts';
import { quoteShellWord } from '../drivers/quote-shell-word.ts';
import type { AddressPin } from './public-address.ts';
import type { RepositoryAddress } from './repository-address.ts';

/** Login of a project at its repository: a token for https, a private key for ssh. */
export interface RepositoryLogin {
  /** Identifies the secret, so that each login has its own mirror. */
  readonly id: string;
  /** Opens the secret's value. Throws SECRET_UNKNOWN, SECRET_UNREADABLE. */
  open(): Promise<string>;
}

/** User name for a token without a user name: GitHub requires this name, other hosts accept any. */
const TOKEN_USER = 'x-access-token';
const KEY_FILE = 'login-';

/** Repository of a project with its login; a null login means that everybody can read it. */
export interface Repository {
  readonly address: string;
  readonly login: RepositoryLogin | null;
  /** How people said in the chat that it is built and started. */
  readonly run?: RunSettings;
}

/** Builds the repository from a project's row; null without one. The login is opened later, on behalf of the person who gave it. */
export function toRepository(
  {
    repository,
    repositoryLogin: stored,
    run,
  }: Pick<ProjectRow, 'repository' | 'repositoryLogin'> & Partial<Pick<ProjectRow, 'run'>>,
  openSecret: JobContext['openSecret'],
): Repository | null {
  if (repository === null) return null;
  const login = stored && {
    id: `${stored.givenBy} ${stored.handle}`,
    open: () => openSecret(stored.handle, `to read the repository ${repository}`, stored.givenBy),
  };
  return { address: repository, login, ...(run ? { run } : {}) };
}

/** Opens a login and checks that it fits the protocol. Throws REPOSITORY_REFUSED when it does not. */
export async function openLogin(login: RepositoryLogin, { protocol, shown }: RepositoryAddress): Promise<string> {
  const value = (await login.open()).trim();
  const isKey = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(value);
  const suits = { https: !isKey, ssh: isKey, file: false }[protocol];
  if (suits) return value;
  throw new AppError('REPOSITORY_REFUSED', { repository: shown, detail: say('repository.otherLogin', { protocol }) });
}

/** Runs `work` with an environment that holds the login: an https header, or a key file. Arguments never contain the login. */
export async function withLogin<T>(
  mirror: string,
  { url, protocol, pin, login }: RepositoryAddress & { readonly pin: AddressPin; readonly login: string | null },
  work: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  if (login === null) return work(pin.env);
  if (protocol === 'https') {
    const pair = login.includes(':') ? login : `${TOKEN_USER}:${login}`;
    return work({
      ...pin.env,
      GIT_CONFIG_COUNT: '1',
      // Git sends the header to this host only, and refuses redirects.
      GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraHeader`,
      GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(pair).toString('base64')}`,
    });
  }
  await removeOldKeys(mirror);
  const file = join(mirror, `${KEY_FILE}${randomUUID()}`);
  try {
    await writeFile(file, `${login}\n`, { mode: 0o600, flag: 'wx' });
    return await work({
      ...pin.env,
      GIT_SSH_COMMAND: `${pin.env['GIT_SSH_COMMAND'] ?? 'ssh'} -o IdentitiesOnly=yes -o IdentityAgent=none -i ${quoteShellWord(file)}`,
    });
  } finally {
    await rm(file, { force: true });
  }
}

/** Removes keys that killed processes left. No fetch lasts an hour. */
async function removeOldKeys(mirror: string): Promise<void> {
  for (const name of (await readdir(mirror)).filter((one) => one.startsWith(KEY_FILE))) {
    const { mtimeMs } = await stat(join(mirror, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > HOUR_MS) await rm(join(mirror, name), { force: true });
  }
}
