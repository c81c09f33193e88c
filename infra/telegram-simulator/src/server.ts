import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { IncomingMessage } from 'node:http';
import fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { build } from 'esbuild';
import { registerBotApi } from './bot-api/bot-api.ts';
import { sendError } from './bot-api/bot-call.ts';
import { BotError } from './bot-error.ts';
import { CallLog } from './bot-api/call-log.ts';
import { registerFileRoutes } from './people/file-routes.ts';
import { Faults } from './bot-api/faults.ts';
import { PersonError } from './people/person-access.ts';
import { registerPersonActions } from './people/person-action-routes.ts';
import { registerPersonApi } from './people/person-api.ts';
import { registerTestApi } from './test-api.ts';
import { startWebhookDelivery } from './webhook/webhook-delivery.ts';
import { Store } from './store/store.ts';
import { isEventFor } from './people/event-view.ts';
import { readForm } from './bot-api/multipart.ts';

/** Allows scripts, styles and connections only from this server, so that chat content cannot load anything. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const LOCAL_NAMES = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Values of Sec-Fetch-Site for the page's own requests and typed addresses. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin', 'none'];

/** Larger than any message, but small enough for memory. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** The page is not built, so src and dist both read it from src. */
const FOLDER = fileURLToPath(new URL('../src/page/', import.meta.url));
const FILES = { '/': ['index.html', 'text/html'], '/icon.svg': ['icon.svg', 'image/svg+xml'] } as const;
const BUNDLES = { '/main.js': ['main.tsx', 'text/javascript'], '/main.css': ['main.css', 'text/css'] } as const;

/** Slow subscribers are disconnected at this limit; they reconnect and resume. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
const RECONNECT_AFTER_MS = 1_000;

const number = z.coerce.number().pipe(z.int());
const Query = z.object({ after: number.optional(), as: number.optional() });

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
/** Paths without the key are rewritten to this path, which no route serves. */
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

/** Serves server-sent events at /api/events. `?after=` or Last-Event-ID resumes; `?as=` selects a person's view. */
function registerEventStream(app: FastifyInstance, store: Store, closing: AbortSignal): void {
  app.get('/api/events', (request, reply) => {
    const lastId = Number(request.headers['last-event-id'] ?? Number.NaN);
    const query = Query.parse(request.query);
    const after = Number.isSafeInteger(lastId) ? lastId : (query.after ?? null);
    const personId = query.as ?? null;
    reply.hijack();
    const stream = reply.raw;
    stream.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
    stream.write(`retry: ${RECONNECT_AFTER_MS}\n\n`);
    const unsubscribe = store.feed.subscribe(after, (event) => {
      if (!isEventFor(store, event, personId)) return;
      stream.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
      if (stream.writableLength > MAX_BUFFERED_BYTES) stream.destroy();
    });
    const end = (): void => void stream.end();
    closing.addEventListener('abort', end, { once: true });
    stream.once('close', () => {
      unsubscribe();
      closing.removeEventListener('abort', end);
    });
  });
}

/** Serves the page and bundles it on each request, in about 50 ms, so that no build is needed. */
function registerPage(app: FastifyInstance): void {
  for (const [path, [name, type]] of Object.entries(FILES)) {
    app.get(path, async (_request, reply) => reply.type(`${type}; charset=utf-8`).send(await readFile(FOLDER + name)));
  }
  for (const [path, [name, type]] of Object.entries(BUNDLES)) {
    app.get(path, async (_request, reply) =>
      reply
        .type(`${type}; charset=utf-8`)
        .header('cache-control', 'no-store')
        .send(await bundle(name)),
    );
  }
}

async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: FOLDER,
    entryPoints: [name],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    // Repeated here, because an installed package lacks the base of the page's tsconfig.json.
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } },
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Registers parsers for the Bot API's body formats. An unreadable body is an error with status 400. */
function registerBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? {} : JSON.parse(String(body)));
    } catch {
      done(Object.assign(new Error("can't parse the JSON of the request"), { statusCode: 400 }));
    }
  });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string | Buffer) => Object.fromEntries(new URLSearchParams(String(body))),
  );
  // Forms have a higher limit, because files are large.
  app.addContentTypeParser('multipart/form-data', async (_request: unknown, payload: IncomingMessage) =>
    readForm(payload),
  );
  // Telegram ignores unknown body formats; the query may have the parameters.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async () => ({}));
}

/** Refuses cross-site requests by Host, Origin, Referer and Sec-Fetch-Site, because a foreign page could approve a deploy as a person. */
function registerRequestGuard(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
    const { host = '', origin, referer, 'sec-fetch-site': site } = request.headers;
    const own = `http://${host}`;
    const isOwn =
      isLocal(own) &&
      [origin, referer].every((from) => from === undefined || originOf(from) === originOf(own)) &&
      OWN_SITES.includes(site);
    if (isOwn) return undefined;
    const error =
      'The simulator answers to this machine and to its own page, and to no other page. Open its address yourself.';
    return reply.code(403).send({ ok: false, error });
  });
}

function isLocal(url: string): boolean {
  return URL.canParse(url) && LOCAL_NAMES.has(new URL(url).hostname);
}

/** Returns the origin of a URL; for an invalid one, a symbol that equals nothing. */
function originOf(url: string): string | symbol {
  return URL.canParse(url) ? new URL(url).origin : Symbol(url);
}
