import fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Faults } from './faults.ts';
import { registerGraphApi } from './graph/graph-api.ts';
import type { GraphDeps } from './graph/graph-call.ts';
import { GraphError } from './graph/graph-error.ts';
import { MAX_UPLOAD_BYTES } from './graph/media.ts';
import { registerPeopleApi, registerTestApi } from './people/people-api.ts';
import { PersonError } from './people/person-actions.ts';
import { Store } from './store/store.ts';
import { Webhooks } from './webhook/webhooks.ts';

export interface SimulatorOptions {
  /** 0 or undefined selects a free port. */
  readonly port?: number | undefined;
  readonly token?: string | undefined;
  readonly appSecret?: string | undefined;
  readonly verifyToken?: string | undefined;
  readonly phoneNumberId?: string | undefined;
  /** Without the `v`. */
  readonly version?: string | undefined;
}

export interface Simulator {
  /** Base URL of the people's API. */
  readonly url: string;
  /** Base URL for the bot, in place of `https://graph.facebook.com/v26.0`. */
  readonly graphUrl: string;
  readonly port: number;
  /** Ends open waits and closes all connections. Idempotent. */
  readonly close: () => Promise<void>;
}

/** Default credentials for the bot. */
export const BOT_DEFAULTS = {
  token: 'simulator-token',
  appSecret: 'simulator-secret',
  verifyToken: 'simulator-verify',
  phoneNumberId: '106540352242922',
  version: '26.0',
} as const;
/** Loopback only, because anyone who reaches the simulator can act as any person. */
const HOST = '127.0.0.1';
const DISPLAY_NUMBER = '12025550100';

/** Starts a simulator. Throws when the port is taken. */
export async function createSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, token = BOT_DEFAULTS.token, phoneNumberId = BOT_DEFAULTS.phoneNumberId } = options;
  const version = `v${options.version ?? BOT_DEFAULTS.version}`;
  const closing = new AbortController();
  const store = new Store();
  const webhooks = new Webhooks({
    appSecret: options.appSecret ?? BOT_DEFAULTS.appSecret,
    verifyToken: options.verifyToken ?? BOT_DEFAULTS.verifyToken,
    phone: { id: phoneNumberId, display: DISPLAY_NUMBER },
    settings: store.settings,
    closing: closing.signal,
  });
  const app = createApp({
    store,
    webhooks,
    token,
    phoneNumberId,
    version,
    faults: new Faults(),
    closing: closing.signal,
  });
  await app.listen({ port, host: HOST });
  const address = app.server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;
  const url = `http://${HOST}:${listening}`;
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing.abort();
    await app.close();
  };
  return { url, graphUrl: `${url}/${version}`, port: listening, close: () => (closed ??= close()) };
}

function createApp(deps: GraphDeps): FastifyInstance {
  const app = fastify({ logger: { level: 'error' }, bodyLimit: MAX_UPLOAD_BYTES, forceCloseConnections: true });
  // The route reads the form, because the media type decides the size limit.
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (_request: unknown, body: unknown) => body,
  );
  app.addHook('onRequest', async (request, reply) => {
    // Refuses requests of web pages, which could act as a person.
    if (request.headers.origin === undefined && isLocal(request.headers.host)) return undefined;
    return reply.code(403).send({ ok: false, error: 'The simulator answers to programs of this machine only.' });
  });
  app.setErrorHandler((error, request, reply) => {
    const status = readStatus(error);
    if (status >= 500) request.log.error(error, 'a request failed');
    const message =
      error instanceof z.ZodError ? z.prettifyError(error) : String(error instanceof Error && error.message);
    if (request.url.startsWith('/api/')) return reply.code(status).send({ ok: false, error: message });
    return reply.code(status).send(new GraphError(status >= 500 ? 131000 : 100, message).body);
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(new GraphError(100, 'Unknown path.').body));
  app.get('/healthz', async () => ({ ok: true }));
  registerPeopleApi(app, deps);
  registerTestApi(app, deps);
  registerGraphApi(app, deps);
  return app;
}

function isLocal(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host ?? '');
}

function readStatus(error: unknown): number {
  if (error instanceof PersonError) return error.status;
  if (error instanceof z.ZodError) return 400;
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  return 500;
}
