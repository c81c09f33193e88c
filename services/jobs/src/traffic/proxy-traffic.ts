import { request, type IncomingMessage } from 'node:http';
import { RouteState } from '@signalbox/contracts/operations/traffic';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS, abortAfter } from '@signalbox/contracts/time';
import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import type { TrafficSwitch } from './traffic.ts';

/** The deadline of a call: the proxy answers from memory, or after one write to disk. */
const DEADLINE_MS = 10 * SECOND_MS;

const OpenRequests = z.object({ requests: z.number().int().nonnegative() });
const Refusal = z.object({ code: z.string(), message: z.string() });

/** Switches traffic through the proxy's socket. Throws UPSTREAM_UNAVAILABLE (outcome unknown; calling again is safe). */
export function createProxyTraffic(options: { readonly socket: string }): TrafficSwitch {
  const ask = (method: string, path: string, signal: AbortSignal, body?: unknown): Promise<ProxyResponse> =>
    send({ socket: options.socket, method, path, body, signal });
  return {
    opensDoors: true,
    current: async (service, signal) => {
      const answer = await ask('GET', pathOf(service), signal);
      if (answer.status === 404) return null;
      return RouteState.parse(succeeded(answer));
    },
    switchTo: async (route, signal) =>
      RouteState.parse(succeeded(await ask('PUT', pathOf(route.service), signal, route))),
    remove: async (service, epoch, signal) => {
      succeeded(await ask('DELETE', `${pathOf(service)}?fence=${epoch}`, signal));
    },
    open: async (service, { host, port }, signal) => {
      const answer = await ask(
        'GET',
        `/open/${encodeURIComponent(service)}?host=${encodeURIComponent(host)}&port=${port}`,
        signal,
      );
      return OpenRequests.parse(succeeded(answer)).requests;
    },
  };
}

interface ProxyResponse {
  readonly status: number;
  readonly body: unknown;
}

function pathOf(service: string): string {
  return `/routes/${encodeURIComponent(service)}`;
}

function succeeded({ status, body }: ProxyResponse): unknown {
  if (status < 300) return body;
  const refusal = Refusal.safeParse(body).data;
  if (status === 409)
    throw new AppError('ROUTE_REFUSED', { reason: refusal?.message ?? say('deployment.routeOlderAtProxy') });
  throw new Error(`the proxy answered ${status}: ${refusal?.message ?? 'no reason given'}`);
}

function send(call: {
  readonly socket: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
}): Promise<ProxyResponse> {
  const { socket: socketPath, method, path, body } = call;
  const signal = AbortSignal.any([call.signal, abortAfter(DEADLINE_MS)]);
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => {
      if (call.signal.aborted)
        reject(call.signal.reason as Error); // Every abort here carries an Error.
      else reject(new AppError('UPSTREAM_UNAVAILABLE', { service: 'The proxy' }, cause));
    };
    const headers = { 'content-type': 'application/json' };
    const asked = request({ socketPath, method, path, headers, signal, agent: false }, (answer) => {
      readJson(answer).then((read) => resolve({ status: answer.statusCode ?? 500, body: read }), fail);
    });
    asked.once('error', fail);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function readJson(answer: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of answer as AsyncIterable<Buffer>) parts.push(part); // Without an encoding the stream yields buffers.
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}
