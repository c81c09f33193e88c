import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';

/** Matches cookies of Signalbox's own pages, which browsers send to every port of a host, named or nameless. */
const OWN_COOKIE = /^\s*=?\s*(?:__Host-)?signalbox(?:-[\w-]*)?\s*(?:[=;]|$)/i;

/** Hop-by-hop headers, which a proxy must not forward. The proxy answers `expect` itself. */
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

/** Lists the headers to forward, including repeated ones, without hop-by-hop headers. */
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

/** Builds request headers for the instance. Keeps the client's `x-forwarded-*` only behind a trusted proxy, as they may lie. */
export function toInstanceHeaders(request: IncomingMessage, trustForwarded: boolean): OutgoingHttpHeaders {
  const headers = toForwardedHeaders(request);
  const trusted = trustForwarded ? headers : {};
  const client = request.socket.remoteAddress ?? 'unknown';
  const before = trusted['x-forwarded-for'];
  headers['x-forwarded-for'] = before === undefined ? client : `${[before].flat().join(', ')}, ${client}`;
  headers['x-forwarded-host'] = trusted['x-forwarded-host'] ?? request.headers.host ?? '';
  headers['x-forwarded-proto'] = trusted['x-forwarded-proto'] ?? 'http';
  delete headers['forwarded']; // The standardized equivalent of x-forwarded-*.
  return headers;
}

/** Removes Signalbox's cookies from a header's value (`name` in lowercase); null when nothing is left. */
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
