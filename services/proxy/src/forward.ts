import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Log } from '@signalbox/platform/log';
import { hasBody, toInstanceHeaders } from './headers.ts';
import type { LiveRoute } from './live-route.ts';
import type { RequestOutcome, ProxyMetrics } from './metrics.ts';
import { connectToInstance, type InstanceConnection } from './reach.ts';
import { forwardRequest, writeHead } from './wire.ts';

export interface ForwardDeps {
  readonly connectMs: number;
  readonly silenceMs: number;
  readonly trustForwarded: boolean;
  readonly metrics: ProxyMetrics;
  readonly log: Log;
}

/** All requests share one error, because creating an error with its stack is expensive. */
const CLOSED = new Error('the client has its answer, or went away');

/** Methods without effects, whose requests may be sent again when no response came. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Forwards one request to the current instance and streams its response back.
 *
 *   connect ─ refused twice ─▶ 502 · send ─ no response ─▶ retry once if safe, else 502 · silence ─▶ 504
 *   response broken off ─▶ the client's connection is cut, so that it cannot take a part for the whole
 *   client gone ─▶ the request to the instance is aborted
 * Never rejects.
 */
export async function serveRequest(
  parts: ForwardDeps,
  live: LiveRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const aborter = new AbortController();
  response.once('close', () => aborter.abort(CLOSED));
  response.on('error', () => undefined); // `close` follows every error.
  const { metrics } = parts;
  const retried = (): void => metrics.countRetry(live.service);
  const mayRepeat = SAFE.has(request.method ?? '') && !hasBody(request);
  for (let attempt = 1; ; attempt++) {
    let outcome: RequestOutcome;
    try {
      const reached = await connectToInstance(live, { connectMs: parts.connectMs, signal: aborter.signal, retried });
      outcome = await exchange(parts, reached, { request, response }, aborter.signal);
      reached.lease.end(toLeaseOutcome(outcome, mayRepeat && attempt === 1));
    } catch (error) {
      outcome = aborter.signal.aborted ? 'left' : 'unreached';
      if (outcome === 'unreached') parts.log.debug('instance not reached', { target: live.service, error });
    }
    if (outcome === 'unanswered' && mayRepeat && attempt === 1) {
      retried();
      continue;
    }
    metrics.count(live.service, outcome);
    if (outcome === 'unreached' || outcome === 'unanswered' || outcome === 'refused')
      sendError(live, request, response, 502);
    if (outcome === 'silent') sendError(live, request, response, 504);
    return;
  }
}

function toLeaseOutcome(outcome: RequestOutcome, isRepeated: boolean): 'served' | 'failed' | null {
  if (outcome === 'served') return 'served';
  if (outcome === 'left' || (outcome === 'unanswered' && isRepeated)) return null;
  return 'failed';
}

function exchange(
  parts: ForwardDeps,
  { socket, lease }: InstanceConnection,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  aborter: AbortSignal,
): Promise<RequestOutcome> {
  return new Promise((resolve) => {
    let isSilent = false;
    let isBroken = false;
    const end = (outcome: RequestOutcome): void => {
      aborter.removeEventListener('abort', leave);
      socket.destroy();
      request.resume(); // Discards the rest of the body, so that the connection can be reused.
      resolve(outcome);
    };
    const leave = (): void => end('left');
    aborter.addEventListener('abort', leave, { once: true });
    const coding = request.headers['transfer-encoding'];
    // With `connection: close`, an instance that refuses a body resets the connection and its response is lost. So `close` is sent only
    // without a body; each connection carries one request either way.
    const connection = hasBody(request) ? 'keep-alive' : 'close';
    // Without a content length, the transfer encoding delimits the body.
    const framing = { connection, ...(coding === undefined ? {} : { 'transfer-encoding': coding }) };
    const upstream = forwardRequest({ lease, socket }, request, {
      ...toInstanceHeaders(request, parts.trustForwarded),
      ...framing,
    });
    if (upstream === null) return end('refused');
    socket.setTimeout(parts.silenceMs, () => {
      isSilent = true;
      upstream.destroy(new Error('the instance is silent'));
    });
    // After the response has started, its own end decides: an instance may stop reading an unwanted body.
    upstream.on('error', () => {
      if (!response.headersSent) end(isSilent ? 'silent' : 'unanswered');
    });
    upstream.once('response', (answer) => {
      aborter.removeEventListener('abort', leave); // The pipeline handles aborts from here on.
      answer.once('error', () => (isBroken = !aborter.aborted)); // The instance closed the connection before the client did.
      if (!writeHead(response, answer)) return end('refused');
      pipeline(answer, response, (error) => {
        if (!error) return end('served');
        end(isBroken ? 'cut' : 'left');
      });
    });
    if (hasBody(request)) request.pipe(upstream);
    else upstream.end();
  });
}

/** Sends an error sentence unless the client has left or the response has started. */
function sendError(live: LiveRoute, request: IncomingMessage, response: ServerResponse, status: 502 | 504): void {
  if (response.headersSent || response.destroyed) return;
  const why = status === 502 ? 'cannot be reached right now' : 'did not answer in time';
  // The connection is closed, because reusing it would require reading the rest of the body.
  if (!request.complete) response.shouldKeepAlive = false;
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' });
  response.end(`${live.service} ${why}. Please try again in a moment.\n`);
}
