import { parseJson } from '@signalbox/contracts/system-error';
import { SECOND_MS, sleep } from '@signalbox/contracts/time';
import type { Log } from '@signalbox/platform/log';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSameWord, isSignature, isSignedBy, SIGNATURE_HEADER } from './signature.ts';

/*
 * A request, from its head to its answer:
 *   GET: challenge → the token is ours: the challenge, as text · else 403
 *   POST: form of the signature → type → announced length   any of them wrong: refused, connection closed, body never read
 *     → body read, up to its limit in size and time         beyond: refused
 *     → signature over its bytes                            wrong: 401, and nothing of it is parsed
 *     → no JSON: kept as a dead letter, 200                 it would never become readable
 *     → JSON: given to the listener                         committed: 200; not: 503, and Meta gives it again
 */

export const WEBHOOK_PATH = '/webhook/whatsapp';
/** What Meta says that its webhooks may have. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;
/** Meta has to repeat a request that has no answer by now. */
const ANSWER_MS = 15 * SECOND_MS;

/** Takes what one webhook brought and resolves once it is committed. */
export type Sink = (webhook: unknown) => Promise<void>;

type WebhookResult =
  'admitted' | 'unreadable' | 'not-stored' | 'bad-signature' | 'bad-type' | 'too-large' | 'bad-token';

export interface WebhookOptions {
  readonly appSecret: string;
  readonly verifyToken: string;
  readonly log: Log;
  /** Called once per request. */
  readonly count: (result: WebhookResult) => void;
  /** Keeps a body that is no JSON. Throws when it could not. */
  readonly onUnreadable: (body: string) => Promise<void>;
}

export type WebhookRoutes = ReturnType<typeof mountWebhook>;

/** Puts the routes of the webhook on a server. Without a sink the answer is 503. */
export function mountWebhook(server: FastifyInstance, options: WebhookOptions) {
  const { log, count } = options;
  let sink: Sink | null = null;

  const refuse = (reply: FastifyReply, status: number, result: WebhookResult): FastifyReply => {
    count(result);
    return reply.code(status).header('connection', 'close').send();
  };
  const take = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // The parser below leaves bytes.
    const body = request.body as Buffer;
    const signature = request.headers[SIGNATURE_HEADER];
    if (!isSignature(signature) || !isSignedBy(options.appSecret, body, signature)) {
      log.warn('a webhook was not signed by Meta', { bytes: body.length });
      return refuse(reply, 401, 'bad-signature');
    }
    const text = body.toString();
    const webhook = parseJson(text);
    try {
      if (!sink) throw new Error('nobody listens at the moment');
      await inTime(webhook === undefined ? options.onUnreadable(text) : sink(webhook));
    } catch (error) {
      log.warn('webhook not taken, Meta will repeat it', { error });
      count('not-stored');
      return reply.code(503).send();
    }
    count(webhook === undefined ? 'unreadable' : 'admitted');
    return reply.code(200).send();
  };

  // A scope of its own: how it reads bodies concerns no other route.
  void server.register(async (scope) => {
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.get<{ Querystring: Readonly<Record<string, unknown>> }>(WEBHOOK_PATH, async ({ query }, reply) => {
      const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query;
      const isOurs = mode === 'subscribe' && typeof token === 'string' && isSameWord(token, options.verifyToken);
      // Nothing that a browser could take for a page is given back.
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
          if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return refuse(reply, 415, 'bad-type');
          const length = Number(headers['content-length'] ?? 0);
          return length > MAX_BODY_BYTES ? refuse(reply, 413, 'too-large') : undefined;
        },
      },
      take,
    );
  });

  return {
    /** Hands webhooks to this sink until the returned function is called. */
    attach(given: Sink): () => void {
      sink = given;
      return () => void (sink = sink === given ? null : sink);
    },
  };
}

/** The work goes on in any case; if it ends well after all, the repeated webhook is a duplicate. */
async function inTime(work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = sleep(ANSWER_MS, timer.signal).then(() => {
    if (!timer.signal.aborted) throw new Error(`not admitted within ${ANSWER_MS} ms`);
  });
  await Promise.race([work, late]).finally(() => timer.abort());
}
