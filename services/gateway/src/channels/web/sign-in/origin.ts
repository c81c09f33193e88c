import type { IncomingHttpHeaders } from 'node:http';

/** Whether a host name, or an address to listen on, is this machine itself and nobody else's way to it. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/**
 * Whether a browser says that our own page asks: it names the origin of what asks, and no page can choose another one. On a machine of
 * one's own the page is ours under every name of the machine itself. A name that only leads here is not: it may be somebody else's.
 */
export function createOriginCheck(publicUrl: () => string | null): (headers: IncomingHttpHeaders) => boolean {
  return ({ origin, host }) => {
    const own = publicUrl();
    if (origin === undefined || own === null) return false;
    return origin === own || (isLocal(own) && isOwnHost(host) && origin === `http://${host}`);
  };
}

/**
 * Whether a request is for us by name. On a machine of one's own a page elsewhere could give its own name our address, and would then be
 * taken for ours by the browser.
 */
export function createHostCheck(publicUrl: () => string | null): (headers: IncomingHttpHeaders) => boolean {
  return ({ host = '' }) => {
    const own = publicUrl();
    return own === null || !isLocal(own) || isOwnHost(host);
  };
}

function isLocal(publicUrl: string): boolean {
  return isLoopback(new URL(publicUrl).hostname);
}

function isOwnHost(host = ''): boolean {
  return isLoopback(host.replace(/:\d{1,5}$/, ''));
}
