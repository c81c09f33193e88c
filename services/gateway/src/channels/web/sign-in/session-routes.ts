import { SignIn, type PageSession } from '@signalbox/contracts/conversation/page-session';
import { say } from '@signalbox/messages/say';
import type { Log } from '@signalbox/platform/log';
import type { Pool } from '@signalbox/store/pool';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ADMIN_MENU, COMMAND_MENU } from '../../menu.ts';
import { parseAcceptLanguage } from '../languages.ts';
import { getClientAddress, createAttemptLimit } from './attempt-limit.ts';
import type { LoginCookie } from './cookie.ts';
import {
  endLogin,
  findLogin,
  hashToken,
  listDemoPeople,
  renewLogin,
  signInAs,
  signInWithCode,
  type Login,
} from './logins.ts';

/* Changes need JSON and the Origin of the gateway's page, checked before the body. All invalid codes get one answer. */

const BODY_LIMIT_BYTES = 1_024;

export interface SessionRouteDeps {
  readonly pool: Pool;
  readonly cookie: LoginCookie;
  readonly isOwnOrigin: (headers: FastifyRequest['headers']) => boolean;
  /** True when visitors may choose a demo person. */
  readonly hasDemoPeople: boolean;
  /** Called after a login ended, to close its pages. */
  readonly signedOut: (login: string) => Promise<void>;
  readonly log: Log;
}

/** Adds `GET`, `POST` and `DELETE /session`. */
export function addSessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  const { pool, cookie, isOwnOrigin, hasDemoPeople, signedOut, log } = deps;
  const limit = createAttemptLimit();

  app.get('/session', async (request, reply) => {
    const token = cookie.read(request);
    const login = token === null ? null : await findLogin(pool, token);
    if (login && token !== null && (await renewLogin(pool, login.hash))) cookie.renew(reply, request);
    return reply.send(await describeSession(deps, login, request));
  });

  app.post(
    '/session',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      onRequest: async (request, reply) => {
        if (!isOwnOrigin(request.headers)) return refuse(reply, 403);
        if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) return refuse(reply, 415);
        const waitMs = limit.waitMs(getClientAddress(request.raw));
        if (waitMs > 0) return refuse(reply.header('retry-after', Math.ceil(waitMs / 1_000)), 429);
        return undefined;
      },
    },
    async (request, reply) => {
      const asked = SignIn.safeParse(request.body).data;
      if (!asked) return refuse(reply, 400);
      const replaced = cookie.read(request);
      const token = await signIn(deps, asked, replaced === null ? null : hashToken(replaced));
      if (token === null) {
        limit.fail(getClientAddress(request.raw));
        log.info('sign-in at a page refused', { kind: 'code' in asked ? 'code' : 'person' });
        return refuse(reply, 401);
      }
      if (replaced !== null) await signedOut(hashToken(replaced));
      cookie.set(reply, token);
      return reply.send(await describeSession({ pool, hasDemoPeople }, await findLogin(pool, token), request));
    },
  );

  app.delete(
    '/session',
    { onRequest: async (request, reply) => (isOwnOrigin(request.headers) ? undefined : refuse(reply, 403)) },
    async (request, reply) => {
      const token = cookie.read(request);
      cookie.clear(reply);
      if (token === null) return reply.code(204).send();
      await endLogin(pool, hashToken(token));
      await signedOut(hashToken(token));
      return reply.code(204).send();
    },
  );
}

function signIn(
  { pool, hasDemoPeople }: Pick<SessionRouteDeps, 'pool' | 'hasDemoPeople'>,
  asked: SignIn,
  replaced: string | null,
): Promise<string | null> {
  if ('code' in asked) return signInWithCode(pool, asked.code, replaced);
  return hasDemoPeople ? signInAs(pool, asked.person, replaced) : Promise.resolve(null);
}

async function describeSession(
  { pool, hasDemoPeople }: Pick<SessionRouteDeps, 'pool' | 'hasDemoPeople'>,
  login: Login | null,
  request: FastifyRequest,
): Promise<PageSession> {
  const language = parseAcceptLanguage(request) ?? undefined;
  const commands = [...COMMAND_MENU, ...(login?.role === 'admin' ? ADMIN_MENU : [])];
  return {
    person: login && { name: login.name, role: login.role },
    demoPeople: hasDemoPeople ? [...(await listDemoPeople(pool))] : [],
    commands: login
      ? commands.map(({ command, description }) => ({ command, description: say(description, {}, language) }))
      : [],
  };
}

function refuse(reply: FastifyReply, status: number): FastifyReply {
  return reply.code(status).header('connection', 'close').send();
}
