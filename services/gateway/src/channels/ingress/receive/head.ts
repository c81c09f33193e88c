import type { FastifyRequest } from 'fastify';
import { announcedBytes, isJson } from '../../http/request-head.ts';
import { isInWindow, isSignature, SIGNATURE_HEADER, SOURCE_HEADER, TIMESTAMP_HEADER } from '../signature.ts';
import type { Source } from '../sources.ts';

/*
 * A request, from its head to its answer:
 *   source → method → type → announced length → timestamp → form of the signature   any of them wrong: refused, body never read
 *     → body read, up to its limit in size and time                                  beyond: refused, connection closed
 *     → signature over the raw body, or over the id of the event that is read        wrong: refused, body never parsed
 *     → rate limit → body parsed → role of the source → event, once
 */

/** A text of the greatest length, each of its characters escaped as JSON. */
const MAX_BODY_BYTES = 100 * 1024;

/** Why a request is not let in, and what it is answered. Whoever has no secret learns nothing: those answers have no body. */
export const REFUSALS = {
  'unknown-source': 401,
  'bad-method': 405,
  'bad-type': 415,
  'too-large': 413,
  'out-of-window': 401,
  'bad-signature': 401,
} as const;
export type Refusal = keyof typeof REFUSALS;

/** The head of a request that may be genuine: its signature is yet to be checked. */
export interface Head {
  readonly source: Source;
  readonly timestamp: string;
  readonly signature: string;
}

/** What a path takes. */
interface Route {
  readonly method: 'GET' | 'POST';
  readonly maxBodyBytes: number;
}

/** Events come in here. */
export const EVENTS: Route = { method: 'POST', maxBodyBytes: MAX_BODY_BYTES };
/** An event's answer is read here. */
export const ANSWER: Route = { method: 'GET', maxBodyBytes: 0 };

/** Judges the head of a request before anything of its body is read. */
export function judgeHead(
  sources: ReadonlyMap<string, Source>,
  route: Route,
  { headers, method }: Pick<FastifyRequest, 'headers' | 'method'>,
  nowMs: number,
): Head | Refusal {
  const source = sources.get(one(headers[SOURCE_HEADER]));
  if (!source) return 'unknown-source';
  if (method !== route.method) return 'bad-method';
  if (method === 'POST' && !isJson(headers)) return 'bad-type';
  if (announcedBytes(headers) > route.maxBodyBytes) return 'too-large';
  if (route.maxBodyBytes === 0 && headers['transfer-encoding'] !== undefined) return 'too-large';
  const timestamp = one(headers[TIMESTAMP_HEADER]);
  if (!isInWindow(timestamp, nowMs)) return 'out-of-window';
  const signature = one(headers[SIGNATURE_HEADER]);
  return isSignature(signature) ? { source, timestamp, signature } : 'bad-signature';
}

/** A header that was sent twice arrives as both values with a comma between them, which none of ours has. */
function one(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}
