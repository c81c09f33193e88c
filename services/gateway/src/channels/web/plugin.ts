import cookies from '@fastify/cookie';
import websocket from '@fastify/websocket';
import { MAX_FRAME_BYTES } from '@signalbox/contracts/conversation/frames';
import { parseJson } from '@signalbox/contracts/system-error';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readArtifact } from '@signalbox/store/artifacts';
import type { Pool } from '@signalbox/store/pool';
import { createSecretCheck } from '../http/secret-check.ts';
import { registerPage } from './page-routes.ts';
import { findLogin, type Login } from './sign-in/logins.ts';
import { addSessionRoutes, type SessionRouteDeps } from './sign-in/session-routes.ts';
import { addSocketRoute, type SocketRouteDeps } from './sockets/socket-route.ts';
import { toChatKey } from './chat-key.ts';
import { canReadFile } from './shown/patches.ts';

const YEAR_SECONDS = 365 * 24 * 3_600;

export interface PluginDeps extends Omit<SessionRouteDeps, 'hasDemoPeople'>, Omit<SocketRouteDeps, 'findLogin'> {
  readonly isOwnHost: (headers: FastifyRequest['headers']) => boolean;
  readonly isSecure: boolean;
  /** The key in the address of the demo page; null without demo people. */
  readonly demoKey: string | null;
}

/** Registers everything that browsers request, in a scope of its own. */
export async function registerWebRoutes(app: FastifyInstance, deps: PluginDeps): Promise<void> {
  await app.register(async (web) => {
    const login = (request: FastifyRequest): Promise<Login | null> => {
      const token = deps.cookie.read(request);
      return token === null ? Promise.resolve(null) : findLogin(deps.pool, token);
    };
    addGuards(web, deps);
    await web.register(cookies);
    await web.register(websocket, {
      options: { maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false, clientTracking: false },
      // The page reconnects after a broken socket.
      errorHandler: (_error, socket) => socket.terminate(),
      preClose: (done) => {
        deps.hub.closePages();
        done();
      },
    });
    web.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
      const value = parseJson(String(body));
      if (value === undefined) done(Object.assign(new Error('no JSON'), { statusCode: 400 }));
      else done(null, value);
    });
    const addRoutes = async (app: FastifyInstance, hasDemoPeople: boolean): Promise<void> => {
      addSessionRoutes(app, { ...deps, hasDemoPeople });
      addSocketRoute(app, { ...deps, findLogin: login });
      addFileRoute(app, { pool: deps.pool, findLogin: login });
      await registerPage(app);
    };
    await addRoutes(web, false);
    const { demoKey } = deps;
    if (demoKey !== null) await web.register((app) => addBehindKey(app, demoKey, addRoutes), { prefix: '/:key' });
  });
}

/** Serves the page with demo people behind a key that other local programs do not know. As a route parameter it stays out of metrics. */
function addBehindKey(
  app: FastifyInstance,
  key: string,
  addRoutes: (app: FastifyInstance, hasDemoPeople: boolean) => Promise<void>,
): Promise<void> {
  const isKey = createSecretCheck(key);
  app.addHook<{ Params: { readonly key: string } }>('onRequest', async ({ params }, reply) =>
    isKey(params.key) ? undefined : reply.code(404).header('connection', 'close').send(),
  );
  return addRoutes(app, true);
}

/** Adds security headers to every answer; routes may set stricter ones. */
function addGuards(web: FastifyInstance, { isOwnHost, isSecure }: PluginDeps): void {
  const headers = {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(isSecure ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` } : {}),
  };
  web.addHook('onRequest', async (request, reply) =>
    isOwnHost(request.headers) ? undefined : reply.code(421).header('connection', 'close').send(),
  );
  web.addHook('onSend', async (_request, reply) => {
    for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) void reply.header(name, value);
  });
}

/** Serves files to people who were sent them in a web chat; others get 404. Browsers download files and never render them. */
function addFileRoute(
  app: FastifyInstance,
  deps: { readonly pool: Pool; readonly findLogin: (request: FastifyRequest) => Promise<Login | null> },
): void {
  const { pool, findLogin } = deps;
  app.get<{ Params: { readonly artifact: string } }>('/files/:artifact', async (request, reply) => {
    const { artifact } = request.params;
    const login = await findLogin(request);
    if (!login) return reply.code(401).send();
    const isTheirs = /^[\w-]{1,80}$/.test(artifact) && (await canReadFile(pool, toChatKey(login.person), artifact));
    const file = isTheirs ? await readArtifact(pool, artifact) : null;
    if (!file) return reply.code(404).send();
    return reply
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename*=UTF-8''${toExtValue(file.name)}`)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .send(file.bytes);
  });
}

/** Encodes a name for RFC 8187, which is stricter than encodeURIComponent. */
function toExtValue(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
