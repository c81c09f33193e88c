import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

// A process of its own: what fetches first in a process decides for all of it who sends requests.
const PROGRAM = `
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
let body = '';
const server = createServer(async (request, response) => {
  body = await text(request);
  response.end('{"id":"1"}');
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const root = 'http://127.0.0.1:' + server.address().port;
await fetch(root);
const { createGraphApiClient } = await import(${JSON.stringify(new URL('client.ts', import.meta.url).href)});
const client = createGraphApiClient({ root, token: 'token', phoneNumberId: '1' });
const answer = await client.upload({ bytes: Buffer.from('a picture'), mimeType: 'image/png', name: 'plan.png' });
console.log(JSON.stringify({ answer, body }));
process.exit();
`;

it('a file is uploaded also when something else of the process has fetched before', () => {
  const words = ['--conditions=source', '--input-type=module', '--eval', PROGRAM];
  const { answer, body } = JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' })) as {
    readonly answer: unknown;
    readonly body: string;
  };
  expect(answer).toMatchObject({ status: 200, body: { id: '1' } });
  expect(body).toMatch(/name="messaging_product"\r\n\r\nwhatsapp\r\n/);
  expect(body).toMatch(/filename="plan\.png"\r\nContent-Type: image\/png\r\n\r\na picture\r\n/);
});
