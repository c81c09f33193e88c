import { createSign } from 'node:crypto';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { tryOr } from '@signalbox/contracts/system-error';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import type { ForgeClient } from '../forge-client.ts';

/** The login of a GitHub App: `github-app:12345` and its private key behind it. */
export interface GithubApp {
  readonly id: string;
  readonly key: string;
}

export interface InstallationToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** GitHub takes at most ten minutes. */
const JWT_SECONDS = 9 * 60;
/** Clocks differ, so a token begins a minute ago. */
const CLOCK_SECONDS = 60;
const RENEW_MS = 5 * MINUTE_MS;

const Installation = z.object({ id: z.int().positive() });
const Token = z.object({
  token: z.string().regex(/^[\x21-\x7e]{1,1000}$/),
  expires_at: z.iso.datetime({ offset: true }),
});

/** Parses the login of a GitHub App; null for a token. Pure. */
export function parseGithubApp(login: string): GithubApp | null {
  const [, id, key] =
    /^github-app:([A-Za-z0-9.]{1,40})\s+(-----BEGIN [A-Z ]*PRIVATE KEY-----[^]+)$/.exec(login.trim()) ?? [];
  return id && key ? { id, key } : null;
}

/** Exchanges an App's key for a token of one repository. Throws FORGE_REFUSED, FORGE_AWAY. */
export async function fetchInstallationToken(
  client: ForgeClient,
  app: GithubApp,
  names: readonly string[],
  signal: AbortSignal,
): Promise<InstallationToken> {
  const jwt = tryOr(() => signJwt(app, Date.now()), null);
  if (jwt === null) throw client.refuse(say('forge.appKey'));
  const authorization = `Bearer ${jwt}`;
  const path = `/repos/${names.map(encodeURIComponent).join('/')}/installation`;
  const answer = await client.send({ method: 'GET', path, authorization }, signal);
  if (answer.status === 404) throw client.refuse(say('forge.appNotInstalled'));
  if (answer.status !== 200) throw client.explain(answer);
  const { id } = parse(client, Installation, answer.body);
  const body = { repositories: names.slice(1) };
  const made = await client.ask(
    { method: 'POST', path: `/app/installations/${id}/access_tokens`, body, authorization },
    Token,
    signal,
  );
  return { token: made.token, expiresAt: Date.parse(made.expires_at) };
}

/** True while a token can be used for a whole job. Pure. */
export function isFresh({ expiresAt }: InstallationToken, now: number): boolean {
  return expiresAt - now > RENEW_MS;
}

function signJwt({ id, key }: GithubApp, now: number): string {
  const seconds = Math.floor(now / 1_000);
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iat: seconds - CLOCK_SECONDS, exp: seconds + JWT_SECONDS, iss: id };
  const content = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${content}.${createSign('RSA-SHA256').update(content).sign(key, 'base64url')}`;
}

function parse<T extends z.ZodType>(client: ForgeClient, shape: T, body: unknown): z.output<T> {
  const parsed = shape.safeParse(body);
  if (!parsed.success) throw client.refuse(say('forge.otherForm'), parsed.error);
  return parsed.data;
}
