import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { readForm } from './bot-api/multipart.ts';

/** Larger than any message, small enough that a mistake does not fill the memory. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Teaches the server the body formats that the Bot API takes. A body that cannot be read is an error of status 400. */
export function registerBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? {} : JSON.parse(String(body)));
    } catch {
      done(Object.assign(new Error("can't parse the JSON of the request"), { statusCode: 400 }));
    }
  });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string | Buffer) => Object.fromEntries(new URLSearchParams(String(body))),
  );
  // Not limited like the other bodies: files are large.
  app.addContentTypeParser('multipart/form-data', async (_request: unknown, payload: IncomingMessage) =>
    readForm(payload),
  );
  // Telegram ignores bodies it does not know; the parameters may be in the query.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async () => ({}));
}
