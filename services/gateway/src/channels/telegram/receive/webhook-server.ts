import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { SECOND_MS } from '@signalbox/contracts/time';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerBrokenRequest } from '../../http/broken-request.ts';
import { createApp } from '../../http/create-app.ts';
import { listen } from '../../http/listen.ts';
import { createRefusalLog } from '../../http/refusal-log.ts';
import { getAnnouncedBytes, isJson } from '../../http/request-head.ts';
import { createSecretCheck } from '../../http/secret-check.ts';
import { createSink } from '../../http/sink.ts';
import { handleJson } from '../../http/webhook-body.ts';
import { REFUSALS, type Refusal, type WebhookResult } from './webhook-refusal.ts';

/*
 * A request, from its head to its answer:
 *   secret → path → method → type → announced length   any of them wrong: refused, connection closed, body never read
 *     → body read, up to its limit in size and time    beyond: refused, connection closed
 *     → no JSON: kept as a dead letter, 200            it would never become readable, and its chat would wait for it
 *     → JSON: given to the listener                    committed: 200; not: 503, and Telegram gives it again
 */

/** Telegram builds updates in a buffer of 64 kB; more than this is nothing that it sends. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Telegram waits 50 s for an answer. It has to repeat a request that has none by now. */
const ANSWER_MS = 25 * SECOND_MS;
/** Said with 503: without it Telegram doubles its waits up to two minutes. The listener is away only for a moment. */
const RETRY_NOT_STORED_SECONDS = 3;
const RETRY_NOBODY_SECONDS = 1;

/** The header in which Telegram presents what was registered with the webhook. */
const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

/** Takes one update and resolves once it is committed. */
export type Sink = (update: unknown) => Promise<void>;

export type WebhookServer = ReturnType<typeof createWebhookServer>;

export interface WebhookServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** The path that Telegram calls; everything else is refused. */
  readonly path: string;
  readonly secret: string;
  readonly log: Log;
  readonly drainMs: number;
  /** Time for all of a request; 10 s when not given. */
  readonly requestMs?: number;
  /** Called once per request. */
  readonly count: (result: WebhookResult) => void;
  /** Keeps a body that is no JSON. Throws when it could not. */
  readonly onUnreadable: (body: string) => Promise<void>;
}

/** Builds the server that Telegram calls. It reads nothing of a request that does not carry the secret. */
export function createWebhookServer(options: WebhookServerOptions) {
  const { log, count } = options;
  const tellRefusal = createRefusalLog(log, 'telegram');
  const sink = createSink<Sink>();

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

  const judge = createJudge(options);
  const app = createApp({
    bodyLimitBytes: MAX_BODY_BYTES,
    requestMs: options.requestMs,
    onBroken: (error, socket) => answerBrokenRequest(error, socket, note),
    refuseAddress: (reply) => void refuse(reply, 'bad-path'),
  });
  // The body stays text, so that what cannot be parsed can be kept.
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    const refusal = judge(request);
    return refusal === null ? undefined : refuse(reply, refusal);
  });
  app.setErrorHandler((error, request, reply) => {
    // They hung up, or were too slow, which is counted already.
    if (request.raw.socket.destroyed) return reply.send();
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
    return refuse(reply, code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? 'too-large' : 'malformed');
  });
  app.post('*', async ({ body }, reply) => {
    const parts = { take: sink.current(), keep: options.onUnreadable, withinMs: ANSWER_MS, log };
    const given = await handleJson(String(body), parts);
    if (given === 'nobody') return askAgain(reply, RETRY_NOBODY_SECONDS);
    if (given === 'not-stored') return askAgain(reply, RETRY_NOT_STORED_SECONDS);
    count(given);
    return reply.code(200).send();
  });

  return {
    /** Hands updates to this sink until the returned function is called. Without a sink the answer is 503. */
    attach: sink.attach,
    /**
     * Listens. `close` takes no more connections, lets what is being admitted finish within `drainMs`, and cuts the rest.
     * Throws the system's error when the port is taken.
     */
    open(): Promise<Closable & { readonly port: number }> {
      return listen(app, options);
    },
  };
}

/** What is wrong with the head of a request. The secret comes first: a caller without it learns nothing else. */
function createJudge({ secret, path }: WebhookServerOptions): (request: FastifyRequest) => Refusal | null {
  const isSecret = createSecretCheck(secret);
  return ({ headers, method, originalUrl }) => {
    if (!isSecret(headers[SECRET_HEADER])) return 'bad-secret';
    if (originalUrl.split('?', 1)[0] !== path) return 'bad-path';
    if (method !== 'POST') return 'bad-method';
    if (!isJson(headers)) return 'bad-type';
    return getAnnouncedBytes(headers) > MAX_BODY_BYTES ? 'too-large' : null;
  };
}
