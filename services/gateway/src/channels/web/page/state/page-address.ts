import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import { addKeyToUrl } from './page-key.ts';

/** The agent and session in the page's address; null for the gateway's default. */
export interface PageAddress {
  readonly agent: string | null;
  readonly session: string | null;
}

export function readPageAddress(): PageAddress {
  const query = new URLSearchParams(location.search);
  return { agent: query.get('agent') || null, session: query.get('session') || null };
}

/** Removes a link's code from the address, so that history and copied addresses do not hold it. Null without a code. */
export function takeSignInCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) history.replaceState(null, '', location.pathname + location.search);
  return code || null;
}

/** The socket's address. `after` is the newest patch number that the page has; null for none. */
export function getSocketUrl(
  { agent, session }: PageAddress,
  after: number | null,
  { mode, device }: PageMode,
): string {
  const url = new URL('ws', location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.hash = '';
  if (agent !== null) url.searchParams.set('agent', agent);
  if (session !== null) url.searchParams.set('session', session);
  if (after !== null) url.searchParams.set('after', String(after));
  url.searchParams.set('mode', mode);
  url.searchParams.set('device', device);
  return addKeyToUrl(url).href;
}
