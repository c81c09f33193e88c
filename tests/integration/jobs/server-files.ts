/** Makes the files of a program that answers `/health` with its release. `state`: lines before the server; `handler`: what it does with each request. */
export function makeServerFiles(state: string, handler: string): Readonly<Record<string, string>> {
  return {
    'signalbox.json': JSON.stringify({
      start: ['node', 'server.mjs'],
      health: { path: '/health', withinSeconds: 10 },
      drainSeconds: 1,
    }),
    'server.mjs': `
import { createServer } from 'node:http';
const { PORT, HOST, SIGNALBOX_RELEASE } = process.env;
${state}
createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://here');
${handler}
}).listen(Number(PORT), HOST, () => console.log('up'));`,
  };
}
