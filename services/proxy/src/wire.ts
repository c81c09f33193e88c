import {
  request as send,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { toForwardedHeaders } from './headers.ts';
import type { InstanceConnection } from './reach.ts';

/** Starts a request on the connection; the caller sends the body. Null when Node rejects its method, path or headers. */
export function forwardRequest(
  { socket, lease }: InstanceConnection,
  { method = 'GET', url = '/' }: IncomingMessage,
  headers: OutgoingHttpHeaders,
): ClientRequest | null {
  try {
    return send({ createConnection: () => socket, host: lease.address.host, method, path: url, headers });
  } catch {
    return null;
  }
}

/** Starts the response to the client. False when Node rejects its head. */
export function writeHead(response: ServerResponse, answer: IncomingMessage): boolean {
  try {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, toForwardedHeaders(answer));
    return true;
  } catch {
    return false;
  }
}
