import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Route } from '@signalbox/contracts/operations/traffic';
import { AppError, toAppError } from '@signalbox/contracts/errors';
import { newId } from '@signalbox/contracts/ids';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { z } from 'zod';
import type { RouteTable } from './route-table.ts';

type AdminResponse = readonly [status: number, body: unknown];

/** Maximum size of a request body; a route has a few hundred bytes. */
const MAX_BODY_BYTES = 64 * 1024;
const MAX_SOCKET_PATH_BYTES = 107;

const Upstream = z.object({ host: z.string().min(1), port: z.coerce.number().int() });
const Epoch = z.coerce.number().int().nonnegative();

/**
 * Serves GET /routes; GET, PUT and DELETE /routes/<service> (DELETE with `?fence=<epoch>`); and GET /open/<service>?host=&port= (number
 * of open requests to an upstream) on a unix socket that only this user may open. Errors are `{code, message}`: 400 for malformed
 * requests, 404, 409 for ROUTE_REFUSED, else 500. Throws STARTUP_REFUSED when another proxy answers there.
 */
export async function startAdminServer(options: {
  readonly socket: string;
  readonly table: RouteTable;
  readonly log: Log;
}): Promise<Closable> {
  const { socket, table, log } = options;
  await claimSocket(socket);
  const server = createServer((request, response) => {
    respond(table, request)
      .catch((error: unknown) => describe(error, log))
      .then(([status, body]) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`),
      )
      .catch(() => response.destroy());
  });
  const mask = process.umask(0o177); // Only this user may open the socket, from its creation on.
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(socket, resolve);
    });
  } finally {
    process.umask(mask);
  }
  await chmod(socket, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(table: RouteTable, request: IncomingMessage): Promise<AdminResponse> {
  const url = new URL(request.url ?? '/', 'http://proxy');
  const [, root, ...words] = url.pathname.split('/');
  const service = words.map((word) => decodeURIComponent(word)).join('/');
  if (root === 'open' && request.method === 'GET') {
    const upstream = Upstream.safeParse(Object.fromEntries(url.searchParams));
    if (!upstream.success) return unreadable('say the upstream: ?host=<host>&port=<port>');
    return [200, { requests: table.openRequests(service, upstream.data) }];
  }
  if (root !== 'routes') return notFound('there is only /routes, and /open');
  if (service === '') {
    return request.method === 'GET'
      ? [200, { routes: table.list() }]
      : unreadable('name the service: /routes/<service>');
  }
  switch (request.method) {
    case 'GET': {
      const state = table.find(service);
      return state ? [200, state] : notFound(`${service} has no route`);
    }
    case 'PUT': {
      const route = Route.safeParse(await readJson(request));
      if (!route.success) return unreadable(z.prettifyError(route.error));
      if (route.data.service !== service) return unreadable('the route names another service than the address');
      return [200, await table.put(route.data)];
    }
    case 'DELETE': {
      const fence = Epoch.safeParse(url.searchParams.get('fence') ?? undefined);
      if (!fence.success) return unreadable('say the fence: ?fence=<number>');
      await table.remove(service, fence.data);
      return [200, {}];
    }
    default:
      return unreadable('GET, PUT or DELETE');
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  // A request without an encoding yields buffers.
  for await (const part of request as AsyncIterable<Buffer>) {
    sizeBytes += part.length;
    if (sizeBytes > MAX_BODY_BYTES) return undefined;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}

const unreadable = (message: string): AdminResponse => [400, { code: 'UNREADABLE', message }];
const notFound = (message: string): AdminResponse => [404, { code: 'NOT_FOUND', message }];

function describe(error: unknown, log: Log): AdminResponse {
  const ref = newId('err');
  const failure = toAppError(error, ref);
  if (failure.code === 'INTERNAL') log.error('route not changed', { ref, error });
  return [failure.code === 'ROUTE_REFUSED' ? 409 : 500, { code: failure.code, message: failure.message }];
}

async function claimSocket(socket: string): Promise<void> {
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH_BYTES)
    throw new AppError('STARTUP_REFUSED', {
      reason: `PROXY_SOCKET is longer than ${MAX_SOCKET_PATH_BYTES} bytes: ${socket}`,
    });
  const isTaken = await new Promise<boolean>((resolve) => {
    const probe = connect(socket, () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
  if (isTaken) throw new AppError('STARTUP_REFUSED', { reason: `another proxy answers at ${socket}` });
  await rm(socket, { force: true });
}
