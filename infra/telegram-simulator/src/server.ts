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
  /** Folder that keeps chats across restarts; by default they live in memory. */
  readonly dataDir?: string | undefined;
  /** 0 or undefined selects a free port. */
  readonly port?: number;
  /** File descriptors of sockets bound to the port, on 127.0.0.1 and ::1. */
  readonly sockets?: readonly number[] | undefined;
  readonly token?: string;
  /** Secret first segment of every path; without it, anyone who reaches the port can act as any person. */
  readonly key?: string | undefined;
}

export interface Simulator {
  /** Base URL with the key and without a trailing slash, as grammY's apiRoot requires. */
  readonly url: string;
  readonly port: number;
  /** Ends open polls and streams and closes the log. Idempotent. */
  readonly close: () => Promise<void>;
}

export const DEFAULT_TOKEN = '100:simulator';
/** Loopback only, because anyone who reaches the simulator can act as any person. */
const HOST = '127.0.0.1';
const HEALTH = '/healthz';
/** Target of every path that lacks the key. */
const CLOSED = '/closed';

/** Starts a simulator. Throws when the port is taken or the log in `dataDir` is corrupt. */
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

/** Also listens on the other loopback address, so that no other program can receive the key through `localhost`. */
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
    // Only errors, to keep the terminal quiet.
    logger: { level: 'error' },
    bodyLimit: MAX_BODY_BYTES,
    // Open polls and streams would delay a normal close indefinitely.
    forceCloseConnections: true,
    // Disabled, because Node would count a long poll of 50 s as a slow request.
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

/** Removes the key from a path; returns `CLOSED` when it is missing. */
function behindKey(url: string, key: string): string {
  if (url === HEALTH) return url;
  return url.startsWith(`/${key}/`) ? url.slice(key.length + 1) : CLOSED;
}

/** For a large body, Telegram returns only the HTTP status text. */
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
