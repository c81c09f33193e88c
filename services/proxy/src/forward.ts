import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Log } from '@signalbox/platform/log';
import { hasBody, toInstance } from './headers.ts';
import type { LiveRoute } from './live-route.ts';
import type { Outcome, ProxyMetrics } from './metrics.ts';
import { reach, type Reached } from './reach.ts';
import { forwardRequest, writeHead } from './wire.ts';

export interface ForwardParts {
  readonly connectMs: number;
  readonly silenceMs: number;
  readonly trustForwarded: boolean;
  readonly metrics: ProxyMetrics;
  readonly log: Log;
}

/** One for all requests: to make an error for each, with its stack, costs more than the rest of its end. */
const OVER = new Error('the client has its answer, or went away');

/** Methods that change nothing, so that they may be sent again when nothing came back. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Carries one request to the instance of now and its answer back, both as they come.
 *
 *   reach ─ nobody there, twice ─▶ 502 · send ─ nothing came back ─▶ once more if that is safe, else 502 · silence ─▶ 504
 *   the answer broke off ─▶ the client's connection is cut, so that it cannot take a part for the whole
 *   the client went away ─▶ so does the request to the instance
 * Never rejects.
 */
export async function forward(
  parts: ForwardParts,
  live: LiveRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort(OVER));
  response.on('error', () => undefined); // the client is gone, which `close` says too
  const { metrics } = parts;
  const retried = (): void => metrics.retried(live.service);
  const mayRepeat = SAFE.has(request.method ?? '') && !hasBody(request);
  for (let attempt = 1; ; attempt++) {
    let outcome: Outcome;
    try {
      const reached = await reach(live, { connectMs: parts.connectMs, signal: gone.signal, retried });
      outcome = await exchange(parts, reached, { request, response }, gone.signal);
      reached.lease.end(countOf(outcome, mayRepeat && attempt === 1));
    } catch (error) {
      outcome = gone.signal.aborted ? 'left' : 'unreached';
      if (outcome === 'unreached') parts.log.debug('instance not reached', { target: live.service, error });
    }
    if (outcome === 'unanswered' && mayRepeat && attempt === 1) {
      retried();
      continue;
    }
    metrics.count(live.service, outcome);
    if (outcome === 'unreached' || outcome === 'unanswered' || outcome === 'refused')
      apologize(live, request, response, 502);
    if (outcome === 'silent') apologize(live, request, response, 504);
    return;
  }
}

function countOf(outcome: Outcome, isRepeated: boolean): 'served' | 'failed' | null {
  if (outcome === 'served') return 'served';
  if (outcome === 'left' || (outcome === 'unanswered' && isRepeated)) return null;
  return 'failed';
}

/** Sends the request and passes the answer on. Settles when both are over. */
function exchange(
  parts: ForwardParts,
  { socket, lease }: Reached,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  gone: AbortSignal,
): Promise<Outcome> {
  return new Promise((resolve) => {
    let isSilent = false;
    let isBroken = false;
    const end = (outcome: Outcome): void => {
      gone.removeEventListener('abort', leave);
      socket.destroy();
      request.resume(); // what nobody wants any more is read over, so that the connection can be used again
      resolve(outcome);
    };
    const leave = (): void => end('left');
    gone.addEventListener('abort', leave, { once: true });
    const coding = request.headers['transfer-encoding'];
    // Told that the connection ends, an instance that refuses a body resets it, and its answer is lost. So it is only told so when
    // there is no body; either way each connection carries one request.
    const connection = hasBody(request) ? 'keep-alive' : 'close';
    // Without a length, only the coding says where a body ends, whatever the method.
    const framing = { connection, ...(coding === undefined ? {} : { 'transfer-encoding': coding }) };
    const upstream = forwardRequest({ lease, socket }, request, {
      ...toInstance(request, parts.trustForwarded),
      ...framing,
    });
    if (upstream === null) return end('refused');
    socket.setTimeout(parts.silenceMs, () => {
      isSilent = true;
      upstream.destroy(new Error('the instance is silent'));
    });
    // Once there is an answer, what becomes of it decides; an instance may well stop reading a body that it does not want.
    upstream.on('error', () => {
      if (!response.headersSent) end(isSilent ? 'silent' : 'unanswered');
    });
    upstream.once('response', (answer) => {
      gone.removeEventListener('abort', leave); // from here on the pipeline knows
      answer.once('error', () => (isBroken = !gone.aborted)); // whoever went first is why
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

/** A plain sentence in place of the answer, if there is still somebody and nothing was said yet. */
function apologize(live: LiveRoute, request: IncomingMessage, response: ServerResponse, status: 502 | 504): void {
  if (response.headersSent || response.destroyed) return;
  const why = status === 502 ? 'cannot be reached right now' : 'did not answer in time';
  // What is left of the body would have to be read to the end before the connection could be used again.
  if (!request.complete) response.shouldKeepAlive = false;
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' });
  response.end(`${live.service} ${why}. Please try again in a moment.\n`);
}
