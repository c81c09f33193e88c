import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { AppError } from '@signalbox/contracts/errors';
import { allowMissing } from '@signalbox/contracts/system-error';
import { readPageSentences } from '@signalbox/messages/page-sentences';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** True when running from sources, as in tests: the page is then bundled on request. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const FOLDER = fileURLToPath(new URL('./page/', import.meta.url));

const FILES = {
  '/main.js': 'text/javascript; charset=utf-8',
  '/main.css': 'text/css; charset=utf-8',
  '/icon.svg': 'image/svg+xml; charset=utf-8',
} as const;

/** The page may run only its own files and talk only to the gateway. Speech is a blob. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  'media-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  // The page's address contains a session name, which other sites must not get.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Serves the page in the browser's language, and its files. Throws STARTUP_REFUSED when a built gateway lacks the built page. */
export async function registerPage(app: FastifyInstance): Promise<void> {
  const html = (await readPageFile('index.html')).toString();
  app.get('/', (request, reply) => {
    const languages = (request.headers['accept-language'] ?? '')
      .split(',')
      .map((one) => one.split(';')[0]?.trim() ?? '');
    return send(reply.header('vary', 'accept-language'), 'text/html; charset=utf-8', renderHtml(html, languages));
  });
  const read = IS_SOURCE ? await openSources() : await openBuilt();
  for (const [path, type] of Object.entries(FILES))
    app.get(path, async (_request, reply) => send(reply, type, await read(path.slice(1))));
}

type ReadFile = (name: string) => Promise<Uint8Array>;

async function openBuilt(): Promise<ReadFile> {
  const names = Object.keys(FILES).map((path) => path.slice(1));
  const files = new Map(await Promise.all(names.map(async (name) => [name, await readPageFile(name)] as const)));
  return async (name) => files.get(name) ?? readPageFile(name);
}

async function openSources(): Promise<ReadFile> {
  const { bundlePage } = await import('./page/bundle.mjs');
  return async (name) => (name === 'icon.svg' ? undefined : (await bundlePage()).get(name)) ?? readPageFile(name);
}

/** Answers 304 when the browser has this version. */
function send(reply: FastifyReply, type: string, body: string | Uint8Array): FastifyReply {
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  void reply.headers(HEADERS).header('etag', tag).type(type);
  return reply.request.headers['if-none-match'] === tag ? reply.code(304).send() : reply.send(body);
}

/** Puts the sentences into the page as data. */
function renderHtml(html: string, languages: readonly string[]): string {
  const said = readPageSentences(languages);
  const data = JSON.stringify(said).replaceAll('<', '\\u003c');
  const needsScript = said.sentences['page.needs-script'];
  return html
    .replace('lang="en"', `lang="${said.language}"`)
    .replace('id="sentences">', () => `id="sentences">${data}`)
    .replace('<noscript>', () => `<noscript>${needsScript.replaceAll('<', '&lt;')}`);
}

async function readPageFile(name: string): Promise<Buffer> {
  const bytes = await allowMissing(readFile(FOLDER + name));
  if (bytes) return bytes;
  const reason = `The web page lacks ${name}. Build it: node services/gateway/src/channels/web/page/bundle.mjs`;
  throw new AppError('STARTUP_REFUSED', { reason });
}
