import type { FastifyInstance } from 'fastify';

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
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: { headers: Record<string, unknown> }, body: string | Buffer) =>
      readMultipart(String(request.headers['content-type']), Buffer.from(body)),
  );
  // Telegram ignores bodies it does not know; the parameters may be in the query.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async () => ({}));
}

/** The text fields of a form. Files are left out: no method of this simulator takes one. */
async function readMultipart(contentType: string, body: Buffer): Promise<Record<string, string>> {
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
    return Object.fromEntries([...form].filter((field): field is [string, string] => typeof field[1] === 'string'));
  } catch (cause) {
    throw Object.assign(new Error("can't parse the form of the request", { cause }), { statusCode: 400 });
  }
}
