import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { readForm } from './bot-api/multipart.ts';

/** Larger than any message, but small enough for memory. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Registers parsers for the Bot API's body formats. An unreadable body is an error with status 400. */
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
  // Forms have a higher limit, because files are large.
  app.addContentTypeParser('multipart/form-data', async (_request: unknown, payload: IncomingMessage) =>
    readForm(payload),
  );
  // Telegram ignores unknown body formats; the query may have the parameters.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async () => ({}));
}
