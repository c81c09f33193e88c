import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type GraphDeps, serveCall } from './graph-call.ts';
import { GraphError } from './graph-error.ts';
import { findMedia, readUpload, toMediaAddress, requireFresh } from './media.ts';
import { BotMessage, describeIssues, ReadMark } from './message-rules.ts';
import { acceptMessage, markRead } from './send.ts';

interface ByPath {
  readonly version: string;
  readonly id: string;
}

/** Serves the bot's API: messages, media and media downloads. */
export function registerGraphApi(app: FastifyInstance, deps: GraphDeps): void {
  app.post<{ Params: ByPath }>('/:version/:id/messages', (request, reply) => {
    const { body } = request;
    if (typeof body === 'object' && body !== null && 'status' in body) {
      const mark = ReadMark.safeParse(body);
      return serveCall({
        deps,
        request,
        reply,
        what: 'read',
        to: null,
        body,
        problems: [...pathProblems(deps, request.params), ...(mark.success ? [] : describeIssues(mark.error))],
        run: () => markRead(deps, mark.data ?? fail()),
      });
    }
    const message = BotMessage.safeParse(body);
    return serveCall({
      deps,
      request,
      reply,
      what: 'send',
      to: readRecipient(body),
      body,
      problems: [...pathProblems(deps, request.params), ...(message.success ? [] : describeIssues(message.error))],
      run: () => acceptMessage(deps, message.data ?? fail()),
    });
  });

  app.post<{ Params: ByPath }>('/:version/:id/media', async (request, reply) => {
    const upload = await readUpload(request);
    return serveCall({
      deps,
      request,
      reply,
      what: 'upload',
      to: null,
      body: upload.logged,
      problems: [...pathProblems(deps, request.params), ...upload.problems],
      run: () => ({ id: deps.store.putMedia(upload.file ?? fail()).id }),
    });
  });

  app.get<{ Params: ByPath }>('/:version/:id', (request, reply) => serveObject(deps, request, reply));

  app.get<{ Querystring: { mid?: string; ext?: string; hash?: string } }>(
    '/whatsapp_business/attachments/',
    (request, reply) => {
      const { mid = '', ext = '', hash = '' } = request.query;
      return serveCall({
        deps,
        request,
        reply,
        what: 'download',
        to: null,
        body: { mid },
        problems: [],
        run: () => {
          const media = findMedia(deps.store, mid);
          requireFresh(deps.store, { media, ext, hash });
          void reply.type(media.mimeType);
          return media.bytes;
        },
      });
    },
  );
}

/** Serves an object by id: the phone number or a file. */
function serveObject(
  deps: GraphDeps,
  request: FastifyRequest<{ Params: ByPath }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { version, id } = request.params;
  return serveCall({
    deps,
    request,
    reply,
    what: 'media',
    to: null,
    body: { id },
    problems: version === deps.version ? [] : [`the version ${version} is not served`],
    run: () =>
      id === deps.phoneNumberId
        ? { id, display_phone_number: deps.webhooks.phone.display, verified_name: 'Simulator' }
        : toMediaAddress(deps.store, findMedia(deps.store, id), `http://${request.headers.host ?? ''}`),
  });
}

function pathProblems(deps: GraphDeps, { version, id }: ByPath): readonly string[] {
  return [
    ...(version === deps.version ? [] : [`the version ${version} is not served`]),
    ...(id === deps.phoneNumberId ? [] : [`${id} is not the id of this phone number`]),
  ];
}

function readRecipient(body: unknown): string | null {
  const to = typeof body === 'object' && body !== null && 'to' in body ? body.to : null;
  return typeof to === 'string' ? to.replace(/^\+/, '') : null;
}

/** Throws for a call that was already refused, so it never runs. */
function fail(): never {
  throw new GraphError(100);
}
