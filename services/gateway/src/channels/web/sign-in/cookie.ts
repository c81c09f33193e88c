import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOGIN_MS } from './logins.ts';

/** The cookie that holds the token of a login. */
export interface LoginCookie {
  /** Null when there is none that could be a token. */
  read(request: FastifyRequest): string | null;
  set(reply: FastifyReply, token: string): void;
  clear(reply: FastifyReply): void;
}

/**
 * No script reads it, and no request that another site begins carries it. Over https its name binds it to this host: neither a
 * neighbor below the same domain nor somebody on the wire can set one.
 */
export function createLoginCookie(options: { readonly isSecure: boolean }): LoginCookie {
  const { isSecure: secure } = options;
  const name = secure ? '__Host-signalbox' : 'signalbox';
  const kept: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'strict', secure };
  return {
    read: ({ cookies }) => {
      const token = cookies[name];
      return token !== undefined && /^[\w-]{43}$/.test(token) ? token : null;
    },
    set: (reply, token) => void reply.setCookie(name, token, { ...kept, maxAge: LOGIN_MS / 1_000 }),
    clear: (reply) => void reply.clearCookie(name, kept),
  };
}
