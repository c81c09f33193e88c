import { createHmac, timingSafeEqual } from 'node:crypto';
import { SECOND_MS } from '@signalbox/contracts/time';
import type { Log } from '@signalbox/platform/log';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createRefusalLog } from '../../http/refusal-log.ts';
import { getContentLength, isJsonRequest } from '../../http/request-head.ts';
import { createSecretCheck } from '../../http/secret-check.ts';
import { createUpdateSink } from '../../http/sink.ts';
import { handleWebhookBody } from '../../http/webhook-body.ts';

const SIGNATURE_HEADER = 'x-hub-signature-256';

/*
 * The checks of a request, in order:
 *   GET: the verify token matches: the challenge is returned as text; else 403
 *   POST: form of the signature → type → announced length: refused before the body is read
 *     → body within its size and time limits: else refused
 *     → signature over the raw body: else 401, nothing is parsed
 *     → no JSON: stored as a dead letter, 200, since it can never become readable
 *     → JSON: passed to the listener; 200 once committed, else 503, and Meta repeats the request
 */

export const WEBHOOK_PATH = '/webhook/whatsapp';
/** The size that Meta allows for its webhooks. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;
/** After this time Meta has to repeat the request. */
const ANSWER_MS = 15 * SECOND_MS;

/** Takes one webhook; resolves once the webhook is committed. */
export type WebhookHandler = (webhook: unknown) => Promise<void>;

type WebhookResult =
  'admitted' | 'unreadable' | 'not-stored' | 'bad-signature' | 'bad-type' | 'too-large' | 'bad-token';

export interface WebhookOptions {
  readonly appSecret: string;
  readonly verifyToken: string;
  readonly log: Log;
  /** Called once per request. */
  readonly count: (result: WebhookResult) => void;
  /** Stores a body that is no JSON. Throws when Postgres is away. */
  readonly onUnreadable: (body: string) => Promise<void>;
}

export type WebhookRoutes = ReturnType<typeof mountWebhook>;

/** Registers the webhook's routes. While nobody is attached, the answer is 503. */
export function mountWebhook(server: FastifyInstance, options: WebhookOptions) {
  const { log, count } = options;
  const tellRefusal = createRefusalLog(log, 'whatsapp');
  const isVerifyToken = createSecretCheck(options.verifyToken);
  const sink = createUpdateSink<WebhookHandler>();

  const refuse = (reply: FastifyReply, status: number, result: WebhookResult): FastifyReply => {
    count(result);
    tellRefusal(result);
    return reply.code(status).header('connection', 'close').send();
  };
  const take = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // the parser below returns bytes
    const body = request.body as Buffer;
    const signature = request.headers[SIGNATURE_HEADER];
    if (!isSignature(signature) || !isSignedBy(options.appSecret, body, signature))
      return refuse(reply, 401, 'bad-signature');
    const parts = { take: sink.current(), keep: options.onUnreadable, withinMs: ANSWER_MS, log };
    const given = await handleWebhookBody(body.toString(), parts);
    const isTaken = given === 'admitted' || given === 'unreadable';
    count(isTaken ? given : 'not-stored');
    return reply.code(isTaken ? 200 : 503).send();
  };

  // The scope's body parser affects no other route.
  void server.register(async (scope) => {
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.get<{ Querystring: Readonly<Record<string, unknown>> }>(WEBHOOK_PATH, async ({ query }, reply) => {
      const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query;
      const isOurs = mode === 'subscribe' && isVerifyToken(token);
      // Answers with nothing that a browser could render as a page.
      if (!isOurs || typeof challenge !== 'string' || !/^[\w-]{1,200}$/.test(challenge))
        return refuse(reply, 403, 'bad-token');
      return reply.type('text/plain').send(challenge);
    });
    scope.post(
      WEBHOOK_PATH,
      {
        bodyLimit: MAX_BODY_BYTES,
        onRequest: async ({ headers }, reply) => {
          if (!isSignature(headers[SIGNATURE_HEADER])) return refuse(reply, 401, 'bad-signature');
          if (!isJsonRequest(headers)) return refuse(reply, 415, 'bad-type');
          return getContentLength(headers) > MAX_BODY_BYTES ? refuse(reply, 413, 'too-large') : undefined;
        },
      },
      take,
    );
  });

  return {
    /** Passes webhooks to this function until the returned function is called. */
    attach: sink.attach,
  };
}

/** True for a well-formed signature header, before the body is read. */
function isSignature(given: unknown): given is string {
  return typeof given === 'string' && /^sha256=[0-9a-f]{64}$/i.test(given);
}

/** True when this secret signed the body. Takes constant time. */
function isSignedBy(secret: string, body: Uint8Array, signature: string): boolean {
  const wanted = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(wanted, Buffer.from(signature.slice('sha256='.length), 'hex'));
}
