import type { FastifyInstance, FastifyReply } from 'fastify';
import { type BotApiDeps, sendError, serveCall } from '../bot-api/bot-call.ts';
import { BotError } from '../bot-error.ts';
import { readArrivalTime } from '../bot-api/call-log.ts';
import { readBytes } from '../files/file-store.ts';
import { PersonError } from './person-access.ts';

/** Types that the page may display; all others are only downloaded. */
const SHOWN_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'audio/ogg']);

/** Serves file contents: to bots at /file/bot<token>/, to people at /api/files/. */
export function registerFileRoutes(app: FastifyInstance, deps: BotApiDeps): void {
  const { store } = deps;

  app.get<{ Params: { token: string; '*': string } }>('/file/bot:token/*', async (request, reply) => {
    if (request.params.token !== deps.token) return sendError(reply, new BotError(401, 'Unauthorized'));
    const path = request.params['*'];
    const parameters = { values: { path }, files: new Map() };
    const problems = { violations: [], warnings: [] };
    const run = (): Buffer => {
      const file = [...store.state.files.values()].find((one) => one.path === path);
      const bytes = file ? readBytes(store, file) : null;
      if (!bytes) throw new BotError(404, 'Not Found');
      return bytes;
    };
    const send = (target: FastifyReply, bytes: unknown): FastifyReply =>
      target.type('application/octet-stream').send(bytes);
    return serveCall({
      deps,
      request,
      reply,
      method: 'downloadFile',
      arrivedAt: readArrivalTime(),
      parameters,
      problems,
      run,
      send,
    });
  });

  app.get<{ Params: { id: string } }>('/api/files/:id', async (request, reply) => {
    const file = store.state.files.get(request.params.id);
    const bytes = file ? readBytes(store, file) : null;
    if (!file || !bytes) throw new PersonError(404, `There is no file ${request.params.id}.`);
    const isShown = SHOWN_TYPES.has(file.mimeType);
    const name = encodeURIComponent(file.name || 'file');
    return reply
      .type(isShown ? file.mimeType : 'application/octet-stream')
      .header('content-disposition', `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`)
      .send(bytes);
  });
}
