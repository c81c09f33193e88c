import { createHash, timingSafeEqual } from 'node:crypto';

type Headers = Readonly<Record<string, unknown>>;

/** A request as it proves its sender. */
export interface SignedRequest {
  readonly headers: Headers;
  readonly body: Buffer;
  readonly nowMs: number;
}

/**
 * True when the request proves one of these secrets: as a bearer token, as the password of basic authentication, or as the sender's own
 * signature. Compares in constant time, and all secrets.
 */
export function isAuthentic(
  isSigned: ((secret: string, request: SignedRequest) => boolean) | undefined,
  secrets: readonly string[],
  request: SignedRequest,
): boolean {
  const given = readAuthorization(request.headers);
  let isProven = false;
  for (const secret of secrets) {
    if (isEqual(given, secret)) isProven = true;
    if (isSigned?.(secret, request)) isProven = true;
  }
  return isProven;
}

/** Reads the token or password of the header `authorization`; empty without one. */
function readAuthorization(headers: Headers): string {
  const [, scheme = '', value = ''] = /^(bearer|basic) +(\S{1,4000})$/i.exec(getHeader(headers, 'authorization')) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  const decoded = Buffer.from(value, 'base64').toString();
  return decoded.slice(decoded.indexOf(':') + 1);
}

/** Repeated headers arrive as a list or joined by a comma, which no valid value contains. */
export function getHeader(headers: Headers, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

/** Compares in constant time, whatever the lengths are. */
export function isEqual(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected)) && given !== '';
}
