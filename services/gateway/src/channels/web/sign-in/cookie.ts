import { createHash, randomBytes } from 'node:crypto';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOGIN_TTL_MS } from './logins.ts';

/*
 * Over http a browser sends a cookie to every program on the host, whatever its port. So the cookie holds the token XORed
 * with two keys: a random one, which only pages of this address and port can read, and the start key, which stays here.
 * A program that takes the port while the gateway is away gets cookie and page key, but no token. The start key changes
 * once another program may have had the port. Over https the certificate keeps other programs out: no key is needed.
 */

/** Stores the token of a login in a browser. */
export interface LoginCookie {
  /** The token of the request; null without a well-formed token. */
  read(request: FastifyRequest): string | null;
  set(reply: FastifyReply, token: string): void;
  /** Extends the lifetime of the present token. */
  renew(reply: FastifyReply, request: FastifyRequest): void;
  clear(reply: FastifyReply): void;
}

/** Carries the page key in both directions. Sockets and files, which send no headers, use the query. */
const PAGE_KEY_HEADER = 'x-signalbox-key';

/** Creates a cookie that no script reads and no other site's request carries. Over https its name binds it to this host. */
export function createLoginCookie(options: { readonly isSecure: boolean; readonly startKey: string }): LoginCookie {
  const { isSecure: secure } = options;
  const ours = createHash('sha256').update(options.startKey).digest('base64url');
  const name = secure ? '__Host-signalbox' : 'signalbox';
  const kept: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'strict', secure };
  const held = ({ cookies }: FastifyRequest): string | null => asToken(cookies[name]);
  const give = (reply: FastifyReply, value: string): void =>
    void reply.setCookie(name, value, { ...kept, maxAge: LOGIN_TTL_MS / 1_000 });
  return {
    read: (request) => {
      const cookie = held(request);
      if (secure || cookie === null) return cookie;
      const key = keyOf(request);
      return key === null ? null : mix(mix(cookie, key), ours);
    },
    set: (reply, token) => {
      if (secure) return give(reply, token);
      const key = randomBytes(32).toString('base64url');
      void reply.header(PAGE_KEY_HEADER, key);
      return give(reply, mix(mix(token, key), ours));
    },
    renew: (reply, request) => {
      const cookie = held(request);
      if (cookie !== null) give(reply, cookie);
    },
    clear: (reply) => void reply.clearCookie(name, kept),
  };
}

function keyOf({ headers, query }: FastifyRequest): string | null {
  const asked = typeof query === 'object' && query !== null && 'key' in query ? query.key : undefined;
  return asToken(headers[PAGE_KEY_HEADER] ?? asked);
}

/** A 256-bit value in base64url, the form of tokens and keys; null for other values. */
function asToken(value: unknown): string | null {
  return typeof value === 'string' && /^[\w-]{43}$/.test(value) ? value : null;
}

/** XORs two 256-bit values; doing it twice gives the first value again. */
function mix(value: string, key: string): string {
  const other = Buffer.from(key, 'base64url');
  const mixed = Buffer.from(value, 'base64url').map((byte, at) => byte ^ (other[at] ?? 0));
  return Buffer.from(mixed).toString('base64url');
}
