import type { FastifyRequest } from 'fastify';
import { getContentLength, isJsonRequest } from '../../http/request-head.ts';
import { isFreshTimestamp, isSignature, SIGNATURE_HEADER, SOURCE_HEADER, TIMESTAMP_HEADER } from '../signature.ts';
import type { IngressSource } from '../sources.ts';

/*
 * The checks of a request, in order:
 *
 * source → method → type → announced length → timestamp → form of the signature: refused before the body is read
 * → body within its size and time limits: else refused, connection closed
 * → signature over the raw body, or the event id of a read: refused before parsing
 * → rate limit → parsed body → role of the source → event, once
 */

/** Room for a text of maximum length with every character escaped. */
const MAX_BODY_BYTES = 100 * 1024;

/** HTTP statuses of refused requests. These have no body, so that callers without a secret learn nothing. */
export const REFUSAL_STATUS = {
  'unknown-source': 401,
  'bad-method': 405,
  'bad-type': 415,
  'too-large': 413,
  'out-of-window': 401,
  'bad-signature': 401,
} as const;
export type RequestRefusal = keyof typeof REFUSAL_STATUS;

/** A request head that passed all checks before the signature is verified. */
export interface RequestHead {
  readonly source: IngressSource;
  readonly timestamp: string;
  readonly signature: string;
}

interface Route {
  readonly method: 'GET' | 'POST';
  readonly maxBodyBytes: number;
}

export const EVENTS_ROUTE: Route = { method: 'POST', maxBodyBytes: MAX_BODY_BYTES };
export const ANSWER_ROUTE: Route = { method: 'GET', maxBodyBytes: 0 };

/** Checks the head of a request before its body is read. */
export function checkRequestHead(
  sources: ReadonlyMap<string, IngressSource>,
  route: Route,
  { headers, method }: Pick<FastifyRequest, 'headers' | 'method'>,
  nowMs: number,
): RequestHead | RequestRefusal {
  const source = sources.get(toSingleHeader(headers[SOURCE_HEADER]));
  if (!source) return 'unknown-source';
  if (method !== route.method) return 'bad-method';
  if (method === 'POST' && !isJsonRequest(headers)) return 'bad-type';
  if (getContentLength(headers) > route.maxBodyBytes) return 'too-large';
  if (route.maxBodyBytes === 0 && headers['transfer-encoding'] !== undefined) return 'too-large';
  const timestamp = toSingleHeader(headers[TIMESTAMP_HEADER]);
  if (!isFreshTimestamp(timestamp, nowMs)) return 'out-of-window';
  const signature = toSingleHeader(headers[SIGNATURE_HEADER]);
  return isSignature(signature) ? { source, timestamp, signature } : 'bad-signature';
}

/** Repeated headers arrive joined by a comma, which no valid value contains. */
function toSingleHeader(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}
