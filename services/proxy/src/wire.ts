import {
  request as send,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { passOn } from './headers.ts';
import type { Reached } from './reach.ts';

/**
 * Opens the request to the instance on the connection that was made; the caller sends the body. Null when Node refuses its method, path or
 * headers.
 */
export function forwardRequest(
  { socket, lease }: Reached,
  { method = 'GET', url = '/' }: IncomingMessage,
  headers: OutgoingHttpHeaders,
): ClientRequest | null {
  try {
    return send({ createConnection: () => socket, host: lease.address.host, method, path: url, headers });
  } catch {
    return null;
  }
}

/** Begins the answer to the client. False when it cannot be written as it came. */
export function writeHead(response: ServerResponse, answer: IncomingMessage): boolean {
  try {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passOn(answer));
    return true;
  } catch {
    return false;
  }
}
