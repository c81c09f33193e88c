import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

// The tea shop. /up: whether it can serve. /: what there is, and what it costs.

const {
  HOST = '127.0.0.1',
  PORT = '3000',
  SIGNALBOX_RELEASE = 'none',
  GREETING = 'Welcome to the tea shop',
} = process.env;

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://shop');
  const answer = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-release': SIGNALBOX_RELEASE });
    response.end(`${JSON.stringify(body)}\n`);
    if (pathname !== '/up' || status !== 200) console.log(`${request.method} ${pathname} ${status}`);
  };
  try {
    const prices = readPrices();
    if (pathname === '/up') answer(200, { ok: true });
    else if (pathname === '/') answer(200, { greeting: GREETING, release: SIGNALBOX_RELEASE, prices });
    else answer(404, { error: 'there is no such page' });
  } catch (error) {
    console.error(`Error: cannot read the prices: ${error.message}`);
    answer(500, { error: 'the shop cannot open' });
  }
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
  return JSON.parse(readFileSync('data/prices.json', 'utf8'));
}
