import { say } from '@signalbox/messages/say';
import type { Log } from '@signalbox/platform/log';
import { SECOND_MS, abortAfter, waitOrAbort, HOUR_MS } from '@signalbox/contracts/time';
import type { Pool, Queryable } from '@signalbox/store/pool';
import { newId } from '@signalbox/contracts/ids';
import { readRow } from '@signalbox/store/sql';
import type { IncomingUpdate } from '../../channel.ts';
import type { GateRequest } from '@signalbox/contracts/operations/gate';
import { recordGate } from '@signalbox/store/governance/gates';
import { canWrite } from '../accounts.ts';
import type { TokenProof, VerifyToken } from '../gates/token.ts';
import { parseEvent, toIncomingUpdate, type ProgramEvent } from './event.ts';
import { joinTrace } from './foreign-trace.ts';
import type { RequestHead } from './head.ts';
import type { createSourceLimit } from './rate-limit.ts';

/** How long an idempotency key names the same event. */
const KEY_TTL_MS = 24 * HOUR_MS;

/** `again`: the request was repeated. `other body`: the key was used with another body. */
interface ClaimedEvent {
  readonly eventId: string;
  readonly state: 'new' | 'again' | 'other body';
}

/** Most clients wait 30 s; without an answer by now they are asked to repeat the request. */
const ANSWER_MS = 25 * SECOND_MS;
/** The Retry-After of a 503. */
const RETRY_SECONDS = 3;

export interface IngressResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
}

/** Admits events; resolves once they are committed. */
export type AdmitEvents = (events: readonly IncomingUpdate[]) => Promise<void>;

export interface RequestDeps {
  readonly pool: Pool;
  readonly limit: ReturnType<typeof createSourceLimit>;
  readonly log: Log;
  readonly verifyToken: VerifyToken;
}

/** Takes an event with a valid signature. Status 200 means that the event is stored. Never throws. */
export async function takeEvent(
  parts: RequestDeps & { readonly sink: AdmitEvents | null },
  head: RequestHead,
  raw: Buffer,
  headers: { readonly key: unknown; readonly traceparent: unknown },
): Promise<IngressResponse> {
  const { pool, limit, log, sink, verifyToken } = parts;
  const { source } = head;
  const waitSeconds = await limit.check(source.name, 'events');
  if (waitSeconds !== null) return answerTooMany(waitSeconds);
  const event = parseEvent(source, raw, headers.key);
  if (typeof event === 'string') return { status: 400, body: { error: event } };
  if (!sink) return requestRetry();
  return answerInTime(log, async () => {
    if (!(await canWrite(pool, source))) return answerForbidden();
    const { gate, token } = event.what;
    const proof = gate && token !== undefined ? await verifyToken(token, gate) : null;
    if (typeof proof === 'string') return { status: 400, body: { error: proof } };
    const { eventId, state } = await claimEvent(pool, head, event);
    if (state === 'other body')
      return { status: 409, body: { error: say('ingress.key-reused', { key: event.key ?? '', id: eventId }) } };
    const asked = gate && proof ? await recordProof(pool, source.name, { gate, proof, eventId }) : eventId;
    if (asked !== eventId) return { status: 409, body: { error: say('ingress.run-asked', { id: asked }) } };
    // A repeated event is admitted again: the gateway that claimed it may have died before storing it.
    const trace = await joinTrace(pool, eventId, headers.traceparent);
    await sink([toIncomingUpdate(source, eventId, event, trace)]);
    return { status: 200, body: { id: eventId, status: 'accepted' } };
  });
}

/** Records what a token proves. One run asks once for an environment, so that a copied token asks for nothing. Returns the event that asked. */
function recordProof(
  pool: Pool,
  source: string,
  { gate, proof, eventId }: { readonly gate: GateRequest; readonly proof: TokenProof; readonly eventId: string },
): Promise<string> {
  const { repository, run, environment } = gate;
  const once = `token:${proof.forge}:${repository}:${run}:${environment}`;
  return recordGate(pool, { source, ...proof, once, repository, target: null, waitsMs: KEY_TTL_MS }, eventId);
}

/** Answers within the time that clients wait. The work continues after that; a repeated event is the same event. */
export async function answerInTime(log: Log, work: () => Promise<IngressResponse>): Promise<IngressResponse> {
  try {
    return await waitOrAbort(work(), abortAfter(ANSWER_MS));
  } catch (error) {
    log.warn('ingress request not answered, its sender is to repeat it', { error });
    return requestRetry();
  }
}

export function answerForbidden(): IngressResponse {
  return { status: 403, body: { error: say('ingress.no-role') } };
}

export function answerTooMany(retryAfterSeconds: number): IngressResponse {
  const error = say('ingress.too-many', { seconds: retryAfterSeconds });
  return { status: 429, body: { error }, retryAfterSeconds };
}

function requestRetry(): IngressResponse {
  return { status: 503, body: { error: say('ingress.away') }, retryAfterSeconds: RETRY_SECONDS };
}

/**
 * Claims an event over all gateways: returns a repeated request's earlier event, or a new id. A claimed event that was never stored is
 * admitted when its sender repeats it.
 */
async function claimEvent(db: Queryable, head: RequestHead, event: ProgramEvent): Promise<ClaimedEvent> {
  const { source, signature } = head;
  const { key, bodySha256, callback } = event;
  return readRow<{ eventId: string; state: ClaimedEvent['state'] }>(db, 'ingress_claim')`
    select event as "eventId", state
      from ingress_claim(${source.name}, ${signature}, ${key}, ${bodySha256}, ${newId('evt')}, ${callback}, ${KEY_TTL_MS}::int)`;
}
