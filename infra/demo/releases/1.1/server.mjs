import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';

// The tea shop. /up: whether it can serve. /: what there is, and what it costs.
// Every request is compared with the whole catalog first.

const {
  HOST = '127.0.0.1',
  PORT = '3000',
  SIGNALBOX_RELEASE = 'none',
  GREETING = 'Welcome to the tea shop',
} = process.env;

const COMPARE_MS = 1_500;

const server = createServer(async (request, response) => {
  await setTimeout(COMPARE_MS);
  const { pathname } = new URL(request.url ?? '/', 'http://shop');
  const answer = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-release': SIGNALBOX_RELEASE });
    response.end(`${JSON.stringify(body)}\n`);
    if (pathname !== '/up') console.log(`${request.method} ${pathname} ${status}`);
  };
  if (pathname === '/up') answer(200, { ok: true });
  else if (pathname === '/') answer(200, { greeting: GREETING, release: SIGNALBOX_RELEASE, prices: readPrices() });
  else answer(404, { error: 'there is no such page' });
});

server.listen(Number(PORT), HOST, () =>
  console.log(`the shop is open on ${HOST}:${PORT}, release ${SIGNALBOX_RELEASE}`),
);

process.once('SIGTERM', () => {
  console.log('the shop closes');
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});

function readPrices() {
  return JSON.parse(readFileSync(new URL('prices.json', import.meta.url), 'utf8'));
}
