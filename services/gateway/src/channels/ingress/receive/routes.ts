import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createRefusalLog } from '../../http/refusal-log.ts';
import { handleAnswerRequest } from './event-answer.ts';
import { hasValidSignature } from '../signature.ts';
import type { IngressSource } from '../sources.ts';
import { IDEMPOTENCY_KEY_HEADER } from './event.ts';
import {
  ANSWER_ROUTE,
  EVENTS_ROUTE,
  checkRequestHead,
  REFUSAL_STATUS,
  type RequestHead,
  type RequestRefusal,
} from './head.ts';
import { takeEvent, type IngressResponse, type RequestDeps, type AdmitEvents } from './take-event.ts';

const PATH = '/webhook/ingress';

/** Registers the routes of the ingress; head.ts lists the checks. `sink` returns null while nobody listens. */
export async function registerRoutes(
  app: FastifyInstance,
  parts: RequestDeps & {
    readonly sources: ReadonlyMap<string, IngressSource>;
    readonly sink: () => AdmitEvents | null;
  },
): Promise<void> {
  const { sources, log, sink } = parts;
  const logRefusal = createRefusalLog(log, 'ingress');
  const refuse = (reply: FastifyReply, refusal: RequestRefusal): FastifyReply => {
    logRefusal(refusal);
    return reply.code(REFUSAL_STATUS[refusal]).header('connection', 'close').send();
  };
  /** Registers one path. The head is checked before the body is read, the signature before the body is parsed. */
  const registerPath = (
    scope: FastifyInstance,
    url: string,
    route: typeof EVENTS_ROUTE,
    getContent: (request: FastifyRequest) => Buffer,
    answer: (head: RequestHead, content: Buffer, request: FastifyRequest) => Promise<IngressResponse>,
  ): void =>
    void scope.all(url, {
      bodyLimit: route.maxBodyBytes || 1,
      onRequest: async (request, reply) => {
        const head = checkRequestHead(sources, route, request, Date.now());
        return typeof head === 'string' ? refuse(reply, head) : undefined;
      },
      handler: async (request, reply) => {
        const head = checkRequestHead(sources, route, request, Date.now());
        if (typeof head === 'string') return refuse(reply, head);
        const content = getContent(request);
        if (!hasValidSignature(head.source.secrets, { ...head, content })) return refuse(reply, 'bad-signature');
        return sendResponse(reply, await answer(head, content, request));
      },
    });

  await app.register(async (scope) => {
    // The signature covers the raw bytes, so this scope parses nothing.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    registerPath(scope, PATH, EVENTS_ROUTE, readBody, (head, raw, { headers }) =>
      takeEvent({ ...parts, sink: sink() }, head, raw, {
        key: headers[IDEMPOTENCY_KEY_HEADER],
        traceparent: headers['traceparent'],
      }),
    );
    registerPath(scope, `${PATH}/:id`, ANSWER_ROUTE, readId, ({ source }, id) =>
      handleAnswerRequest(parts, source, id.toString()),
    );
  });
}

function readBody({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function readId({ params }: FastifyRequest): Buffer {
  return Buffer.from(typeof params === 'object' && params !== null && 'id' in params ? String(params.id) : '');
}

function sendResponse(reply: FastifyReply, { status, body, retryAfterSeconds }: IngressResponse): FastifyReply {
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
  return reply.code(status).header('cache-control', 'no-store').send(body);
}
