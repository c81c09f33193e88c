import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';

/**
 * Cookies of our own pages, which browsers send to every port of a host. A cookie without a name whose value starts like this is sent
 * back as if it had the name.
 */
const OWN_COOKIE = /^\s*=?\s*(?:__Host-)?signalbox(?:-[\w-]*)?\s*(?:[=;]|$)/i;

/** Hop-by-hop headers, which a proxy does not forward. We answer `expect` ourselves. */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers to forward, including repeated ones, without hop-by-hop headers. */
export function toForwardedHeaders(message: Pick<IncomingMessage, 'rawHeaders'>): OutgoingHttpHeaders {
  const { rawHeaders } = message;
  const dropped = new Set(HOP_BY_HOP);
  const passed: Record<string, string[]> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'connection') continue;
    for (const name of (rawHeaders[at + 1] ?? '').split(',')) dropped.add(name.trim().toLowerCase());
  }
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = stripOwnCookies(name, rawHeaders[at + 1] ?? '');
    if (value !== null && !dropped.has(name)) (passed[name] ??= []).push(value);
  }
  return Object.fromEntries(
    Object.entries(passed).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

/**
 * Request headers for the instance, with `x-forwarded-*`. Those of the client are kept only behind a trusted proxy; otherwise clients
 * could fake their address.
 */
export function toInstanceHeaders(request: IncomingMessage, trustForwarded: boolean): OutgoingHttpHeaders {
  const headers = toForwardedHeaders(request);
  const trusted = trustForwarded ? headers : {};
  const client = request.socket.remoteAddress ?? 'unknown';
  const before = trusted['x-forwarded-for'];
  headers['x-forwarded-for'] = before === undefined ? client : `${[before].flat().join(', ')}, ${client}`;
  headers['x-forwarded-host'] = trusted['x-forwarded-host'] ?? request.headers.host ?? '';
  headers['x-forwarded-proto'] = trusted['x-forwarded-proto'] ?? 'http';
  delete headers['forwarded']; // the standardized equivalent of x-forwarded-*
  return headers;
}

/** The value of a header (lowercase name) without our cookies; null when nothing is left. */
export function stripOwnCookies(name: string, value: string): string | null {
  if (name === 'set-cookie') return OWN_COOKIE.test(value) ? null : value;
  if (name !== 'cookie') return value;
  const kept = value.split(';').filter((cookie) => !OWN_COOKIE.test(cookie));
  return kept.length === 0 ? null : kept.join(';').trim();
}

/** True when a request has a body, by its length or encoding header. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
