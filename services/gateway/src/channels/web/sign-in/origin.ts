import type { IncomingHttpHeaders } from 'node:http';

/** True when a host name or listening address is this machine only. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/** Checks that the Origin is the gateway's page: locally any name of this machine, but no foreign name that resolves to it. */
export function createOriginCheck(createPublicUrl: () => string | null): (headers: IncomingHttpHeaders) => boolean {
  return ({ origin, host }) => {
    const own = createPublicUrl();
    if (origin === undefined || own === null) return false;
    return origin === own || (isLocal(own) && isOwnHost(host) && origin === `http://${host}`);
  };
}

/** Checks the Host header, so that a foreign page cannot point its own name at a local gateway (DNS rebinding). */
export function createHostCheck(createPublicUrl: () => string | null): (headers: IncomingHttpHeaders) => boolean {
  return ({ host = '' }) => {
    const own = createPublicUrl();
    return own === null || !isLocal(own) || isOwnHost(host);
  };
}

function isLocal(createPublicUrl: string): boolean {
  return isLoopback(new URL(createPublicUrl).hostname);
}

function isOwnHost(host = ''): boolean {
  return isLoopback(host.replace(/:\d{1,5}$/, ''));
}
