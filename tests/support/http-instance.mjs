// A release of a web service for tests, as a process of its own: `node http-instance.mjs <port> <release>`.
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const [port, release] = process.argv.slice(2);

const server = createServer((request, response) => void answer(request, response));
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));

async function answer(request, response) {
  response.setHeader('x-release', release);
  if (request.method === 'POST') {
    request.pipe(response);
    return;
  }
  if (request.url !== '/slow') {
    response.end('quick');
    return;
  }
  for (const part of ['one ', 'two ', 'three']) {
    response.write(part);
    await delay(40);
  }
  response.end();
}
