import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';

/**
 * The cookies of our own pages. Browsers send them to every port of a host, and take new ones from there. One without a name, whose value
 * begins like this, is sent back as if it had the name.
 */
const OUR_COOKIE = /^\s*=?\s*(?:__Host-)?signalbox(?:-[\w-]*)?\s*(?:[=;]|$)/i;

/** Headers of one connection, which a proxy does not pass on. `expect` is answered by us before anything is passed on. */
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

/** The headers of a message for the other side, repeated ones included, without those of the connection that it came by. */
export function passOn(message: Pick<IncomingMessage, 'rawHeaders'>): OutgoingHttpHeaders {
  const { rawHeaders } = message;
  const dropped = new Set(HOP_BY_HOP);
  const passed: Record<string, string[]> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'connection') continue;
    for (const name of (rawHeaders[at + 1] ?? '').split(',')) dropped.add(name.trim().toLowerCase());
  }
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = withoutOurCookies(name, rawHeaders[at + 1] ?? '');
    if (value !== null && !dropped.has(name)) (passed[name] ??= []).push(value);
  }
  return Object.fromEntries(
    Object.entries(passed).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

/**
 * The headers of a client's request for the instance, with `x-forwarded-*`. What the client itself says there counts only when
 * something trusted stands before us; otherwise anybody could claim to be anybody.
 */
export function toInstance(request: IncomingMessage, trustForwarded: boolean): OutgoingHttpHeaders {
  const headers = passOn(request);
  const said = trustForwarded ? headers : {};
  const client = request.socket.remoteAddress ?? 'unknown';
  const before = said['x-forwarded-for'];
  headers['x-forwarded-for'] = before === undefined ? client : `${[before].flat().join(', ')}, ${client}`;
  headers['x-forwarded-host'] = said['x-forwarded-host'] ?? request.headers.host ?? '';
  headers['x-forwarded-proto'] = said['x-forwarded-proto'] ?? 'http';
  delete headers['forwarded']; // the same in other words
  return headers;
}

/** The value of a header, lower case, as a deployed program may see or set it; null when nothing is left. */
export function withoutOurCookies(name: string, value: string): string | null {
  if (name === 'set-cookie') return OUR_COOKIE.test(value) ? null : value;
  if (name !== 'cookie') return value;
  const kept = value.split(';').filter((cookie) => !OUR_COOKIE.test(cookie));
  return kept.length === 0 ? null : kept.join(';').trim();
}

/** Whether a request has a body, by the only two headers that can say so. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
