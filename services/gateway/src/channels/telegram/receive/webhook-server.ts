import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { SECOND_MS } from '@signalbox/contracts/time';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerBrokenRequest } from '../../http/broken-request.ts';
import { createApp } from '../../http/create-app.ts';
import { startHttpServer } from '../../http/listen.ts';
import { createRefusalLog } from '../../http/refusal-log.ts';
import { getContentLength, isJsonRequest } from '../../http/request-head.ts';
import { createSecretCheck } from '../../http/secret-check.ts';
import { createUpdateSink } from '../../http/sink.ts';
import { handleWebhookBody } from '../../http/webhook-body.ts';

/*
 * The checks of a request, in order:
 *
 * secret → path → method → type → announced length: refused, connection closed, body never read
 * → body within its size and time limits: else refused, connection closed
 * → no JSON: stored as a dead letter and answered with 200, since it can never become readable
 * → JSON: passed to the listener; 200 once committed, else 503, and Telegram repeats it
 */

/** Telegram builds updates in a 64 kB buffer, so a longer body does not come from Telegram. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Telegram waits 50 s for an answer, then repeats the request. */
const ANSWER_MS = 25 * SECOND_MS;
/** Retry-After of a 503; without the header Telegram doubles its delays up to two minutes. */
const RETRY_NOT_STORED_SECONDS = 3;
const RETRY_NOBODY_SECONDS = 1;

/** The header with the webhook's registered secret. */
const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

/** Reasons to refuse a request, with their HTTP status. */
const REFUSALS = {
  'bad-secret': 401,
  'bad-path': 404,
  'bad-method': 405,
  'bad-type': 415,
  'too-large': 413,
  'too-slow': 408,
  malformed: 400,
} as const;
type Refusal = keyof typeof REFUSALS;

/** What became of a request. A refused one is not parsed. */
export type WebhookResult = Refusal | 'admitted' | 'unreadable' | 'not-stored';

/** Takes one update; resolves once the update is committed. */
export type AdmitUpdate = (update: unknown) => Promise<void>;

export type WebhookServer = ReturnType<typeof createWebhookServer>;

export interface WebhookServerOptions {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly secret: string;
  readonly log: Log;
  readonly drainMs: number;
  /** Time limit of a request; default 10 s. */
  readonly requestMs?: number;
  /** Called once per request. */
  readonly count: (result: WebhookResult) => void;
  /** Stores a body that is no JSON. Throws when Postgres is away. */
  readonly onUnreadable: (body: string) => Promise<void>;
}

/** Creates the server of the webhook. Requests without the secret are refused before their body is read. */
export function createWebhookServer(options: WebhookServerOptions) {
  const { log, count } = options;
  const tellRefusal = createRefusalLog(log, 'telegram');
  const sink = createUpdateSink<AdmitUpdate>();

  const note = (refusal: Refusal): void => {
    count(refusal);
    tellRefusal(refusal);
  };
  const refuse = (reply: FastifyReply, refusal: Refusal): FastifyReply => {
    note(refusal);
    return reply.code(REFUSALS[refusal]).header('connection', 'close').send();
  };
  const askAgain = (reply: FastifyReply, afterSeconds: number): FastifyReply => {
    count('not-stored');
    return reply.code(503).header('retry-after', afterSeconds).send();
  };

  const judge = createHeadCheck(options);
  const app = createApp({
    bodyLimitBytes: MAX_BODY_BYTES,
    requestMs: options.requestMs,
    onBroken: (error, socket) => answerBrokenRequest(error, socket, note),
    refuseAddress: (reply) => void refuse(reply, 'bad-path'),
  });
  // The body stays text, so that an unparsable one can be stored.
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    const refusal = judge(request);
    return refusal === null ? undefined : refuse(reply, refusal);
  });
  app.setErrorHandler((error, request, reply) => {
    // The client hung up or was too slow, which is counted already.
    if (request.raw.socket.destroyed) return reply.send();
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
    return refuse(reply, code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? 'too-large' : 'malformed');
  });
  app.post('*', async ({ body }, reply) => {
    const parts = { take: sink.current(), keep: options.onUnreadable, withinMs: ANSWER_MS, log };
    const given = await handleWebhookBody(String(body), parts);
    if (given === 'nobody') return askAgain(reply, RETRY_NOBODY_SECONDS);
    if (given === 'not-stored') return askAgain(reply, RETRY_NOT_STORED_SECONDS);
    count(given);
    return reply.code(200).send();
  });

  return {
    /** Passes updates to this function until the returned function is called. While none is attached, the answer is 503. */
    attach: sink.attach,
    /** Listens. `close` drains admissions for `drainMs`, then closes all connections. Throws the system's error for a taken port. */
    open(): Promise<Closable & { readonly port: number }> {
      return startHttpServer(app, options);
    },
  };
}

/** Builds the check of a request's head. The secret is checked first. */
function createHeadCheck({ secret, path }: WebhookServerOptions): (request: FastifyRequest) => Refusal | null {
  const isSecret = createSecretCheck(secret);
  return ({ headers, method, originalUrl }) => {
    if (!isSecret(headers[SECRET_HEADER])) return 'bad-secret';
    if (originalUrl.split('?', 1)[0] !== path) return 'bad-path';
    if (method !== 'POST') return 'bad-method';
    if (!isJsonRequest(headers)) return 'bad-type';
    return getContentLength(headers) > MAX_BODY_BYTES ? 'too-large' : null;
  };
}
