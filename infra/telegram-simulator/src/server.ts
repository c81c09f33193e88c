import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { registerBotApi } from './bot-api/bot-api.ts';
import { sendError } from './bot-api/bot-call.ts';
import { BotError } from './bot-error.ts';
import { CallLog } from './bot-api/call-log.ts';
import { registerEventStream } from './event-stream.ts';
import { registerFileRoutes } from './people/file-routes.ts';
import { Faults } from './bot-api/faults.ts';
import { PersonError } from './people/person-access.ts';
import { registerPersonActions } from './people/person-action-routes.ts';
import { registerPersonApi } from './people/person-api.ts';
import { registerPage } from './page-routes.ts';
import { MAX_BODY_BYTES, registerBodyParsers } from './request-body.ts';
import { registerRequestGuard } from './request-guard.ts';
import { registerTestApi } from './test-api.ts';
import { startWebhookDelivery } from './webhook/webhook-delivery.ts';
import { Store } from './store/store.ts';

export interface SimulatorOptions {
  /** Where chats survive a restart; without it they live in memory. */
  readonly dataDir?: string | undefined;
  /** 0 or nothing: the system chooses a free port. */
  readonly port?: number;
  /** Descriptors of sockets that are bound to the port, on 127.0.0.1 and on ::1. */
  readonly sockets?: readonly number[] | undefined;
  readonly token?: string;
  /** The first part of every address; without it whoever reaches the port can speak as anyone. */
  readonly key?: string | undefined;
}

export interface Simulator {
  /** With the key, and without a slash at the end, as grammY wants its apiRoot. */
  readonly url: string;
  readonly port: number;
  /** Ends open polls and streams and closes the log. Idempotent. */
  readonly close: () => Promise<void>;
}

export const DEFAULT_TOKEN = '100:simulator';
/** Never more than this machine: whoever reaches the simulator can speak as anyone. */
const HOST = '127.0.0.1';
const HEALTH = '/healthz';
/** Where everything leads that lacks the key. */
const CLOSED = '/closed';

/** Starts a simulator. Throws if the port is taken or the log in `dataDir` is damaged. */
export async function createSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { dataDir, port = 0, sockets: [near, far] = [], token = DEFAULT_TOKEN, key } = options;
  const store = new Store({ token, dataDir });
  const closing = new AbortController();
  const app = createApp({ store, token, key, closing: closing.signal });
  let second: Server | null = null;
  try {
    await app.listen({ port, host: HOST, ...(near === undefined ? {} : { fd: near }) });
    if (far !== undefined) second = await listenBeside(app, far);
  } catch (error) {
    store.close();
    throw error;
  }
  startWebhookDelivery(store, closing.signal);
  const address = app.server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;
  const close = async (): Promise<void> => {
    closing.abort();
    second?.close();
    await app.close();
    store.close();
  };
  let closed: Promise<void> | undefined;
  return {
    url: `http://${HOST}:${listening}${key === undefined ? '' : `/${key}`}`,
    port: listening,
    close: () => (closed ??= close()),
  };
}

/** Serves the other address too: a browser takes either for `localhost`, and a program that listened there would be shown the key. */
async function listenBeside(app: FastifyInstance, fd: number): Promise<Server> {
  const server = createServer((socket) => app.server.emit('connection', socket));
  server.listen({ fd });
  await once(server, 'listening');
  return server;
}

function createApp(deps: {
  store: Store;
  token: string;
  key: string | undefined;
  closing: AbortSignal;
}): FastifyInstance {
  const { store, token, key, closing } = deps;
  const app = fastify({
    // Errors only: whoever starts the simulator wants a quiet terminal.
    logger: { level: 'error' },
    bodyLimit: MAX_BODY_BYTES,
    // Open polls and streams would hold a normal close for as long as they like.
    forceCloseConnections: true,
    // Node counts from the first byte of a request; a long poll of 50 s is no slow request.
    requestTimeout: 0,
    rewriteUrl: ({ url = '/' }) => (key === undefined ? url : behindKey(url, key)),
  });
  const faults = new Faults();
  const calls = new CallLog();
  registerRequestGuard(app);
  registerBodyParsers(app);
  app.setErrorHandler((error, request, reply) => {
    const status = readStatus(error);
    const message = readMessage(error);
    if (status >= 500) request.log.error(error, 'a request failed');
    if (request.url.startsWith('/bot')) return sendError(reply, toBotError(status, message));
    return reply.code(status).send({ ok: false, error: message });
  });
  app.setNotFoundHandler((_request, reply) => sendError(reply, new BotError(404, 'Not Found')));
  app.get(HEALTH, async () => ({ ok: true }));
  app.all(CLOSED, (_request, reply) =>
    reply.code(403).send({ ok: false, error: 'Open the address that was printed when the simulator was started.' }),
  );
  registerBotApi(app, { store, token, faults, calls, closing });
  registerFileRoutes(app, { store, token, faults, calls, closing });
  registerPersonApi(app, store);
  registerPersonActions(app, store);
  registerTestApi(app, { store, faults, calls });
  registerEventStream(app, store, closing);
  registerPage(app);
  return app;
}

/** The address behind the key. Programs on this machine reach the port too, and do not know the key. */
function behindKey(url: string, key: string): string {
  if (url === HEALTH) return url;
  return url.startsWith(`/${key}/`) ? url.slice(key.length + 1) : CLOSED;
}

/** Of a body that is too large Telegram says no more than HTTP does. */
function toBotError(status: number, message: string): BotError {
  return new BotError(status, status === 413 ? 'Request Entity Too Large' : `Bad Request: ${message}`);
}

function readStatus(error: unknown): number {
  if (error instanceof PersonError) return error.status;
  if (error instanceof z.ZodError) return 400;
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  return 500;
}

function readMessage(error: unknown): string {
  if (error instanceof z.ZodError) {
    return error.issues.map((issue) => [issue.path.join('.'), issue.message].filter(Boolean).join(': ')).join('; ');
  }
  return error instanceof Error ? error.message : 'Internal Server Error';
}
