import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createRefusalLog } from '../../http/refusal-log.ts';
import { answerRead } from '../read/answer-read.ts';
import { isSignedBy } from '../signature.ts';
import type { Source } from '../sources.ts';
import { KEY_HEADER } from './event.ts';
import { ANSWER, EVENTS, judgeHead, REFUSALS, type Head, type Refusal } from './head.ts';
import { takeEvent, type Answered, type RequestParts, type Sink } from './take-event.ts';

const PATH = '/webhook/ingress';

/** Registers the routes of the ingress. What a request passes on its way is in head.ts. `sink`: null while nobody listens. */
export async function registerRoutes(
  app: FastifyInstance,
  parts: RequestParts & { readonly sources: ReadonlyMap<string, Source>; readonly sink: () => Sink | null },
): Promise<void> {
  const { sources, log, sink } = parts;
  const tellRefusal = createRefusalLog(log, 'ingress');
  const refuse = (reply: FastifyReply, refusal: Refusal): FastifyReply => {
    tellRefusal(refusal);
    return reply.code(REFUSALS[refusal]).header('connection', 'close').send();
  };
  /**
   * Registers one path. Its head is judged before its body is read, and its signature before its content is parsed: nothing but the
   * content that was signed is answered.
   */
  const serve = (
    scope: FastifyInstance,
    url: string,
    route: typeof EVENTS,
    contentOf: (request: FastifyRequest) => Buffer,
    answer: (head: Head, content: Buffer, request: FastifyRequest) => Promise<Answered>,
  ): void =>
    void scope.all(url, {
      bodyLimit: route.maxBodyBytes || 1,
      onRequest: async (request, reply) => {
        const head = judgeHead(sources, route, request, Date.now());
        return typeof head === 'string' ? refuse(reply, head) : undefined;
      },
      handler: async (request, reply) => {
        const head = judgeHead(sources, route, request, Date.now());
        if (typeof head === 'string') return refuse(reply, head);
        const content = contentOf(request);
        if (!isSignedBy(head.source.secrets, { ...head, content })) return refuse(reply, 'bad-signature');
        return send(reply, await answer(head, content, request));
      },
    });

  await app.register(async (scope) => {
    // The signature is over the bytes as they came, whatever other channels read on this server.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    serve(scope, PATH, EVENTS, readBody, (head, raw, { headers }) =>
      takeEvent({ ...parts, sink: sink() }, head, raw, headers[KEY_HEADER]),
    );
    serve(scope, `${PATH}/:id`, ANSWER, readId, ({ source }, id) => answerRead(parts, source, id.toString()));
  });
}

function readBody({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function readId({ params }: FastifyRequest): Buffer {
  return Buffer.from(typeof params === 'object' && params !== null && 'id' in params ? String(params.id) : '');
}

function send(reply: FastifyReply, { status, body, retryAfterSeconds }: Answered): FastifyReply {
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
  return reply.code(status).header('cache-control', 'no-store').send(body);
}
