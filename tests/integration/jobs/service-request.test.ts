import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createServiceRequestHandler } from '@signalbox/jobs/jobs/service-request';
import type { JobContext } from '@signalbox/jobs/runner/handlers';
import { probeAddress } from '@signalbox/worker/capabilities/diagnose/address';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

// A program of strangers answers a request of a person. Nothing of the person goes there, and it leads nowhere else.

const asked: IncomingMessage[] = [];
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/': (response) => response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'id=1' }).end('<p>hello</p>'),
  '/moved': (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  '/large': (response) => response.end('a line of text\n'.repeat(100_000)),
  '/bomb': (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000, 'x'))),
  '/binary': (response) => response.end(Buffer.from([1, 0, 2])),
  '/secret': (response) => response.end('password = hunter2hunter2 and kept-secret-value-1 stay inside'),
  '/slow': () => undefined,
  '/drip': (response) => void setInterval(() => response.write('.'), 200).unref(),
  '/broken': (response) => response.destroy(),
};

let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request);
    (ANSWERS[new URL(request.url ?? '/', 'http://x').pathname] ?? ANSWERS['/'])?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.closeAllConnections());
beforeEach(() => void asked.splice(0));

const SHOP = { project: 'shop', environment: 'staging' } as const;
function request(path: string, problem: string | null = null) {
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const parts = {
    services: {
      find: async () => ({ ...SHOP, port, serving: 'act_1' }),
      variables: async () => [{ name: 'TOKEN', value: null, secret: 'secret:token', givenBy: '1001' }],
    },
    work: { find: async () => ({ release: '1.0-abc1234' }) },
    traffic: { current: async () => ({ problem }) },
    reachHost: '127.0.0.1',
  };
  const handler = createServiceRequestHandler(parts as unknown as Parameters<typeof createServiceRequestHandler>[0]);
  const openSecret = async () => 'kept-secret-value-1';
  return handler.run({ ...SHOP, path }, { signal: AbortSignal.timeout(20_000), openSecret } as unknown as JobContext);
}

it('the answer of a service has its status, type, size and beginning, and the request has no cookies', async () => {
  const found = { release: '1.0-abc1234', status: 200, contentType: 'text/html', sizeBytes: 12, text: '<p>hello</p>' };
  expect(await request('/?page=2')).toMatchObject({ ...SHOP, ...found, isCut: false, location: null, problem: null });
  await request('/');
  expect(asked.map(({ url }) => url)).toEqual(['/?page=2', '/']);
  for (const { method, headers } of asked) {
    expect(method).toBe('GET');
    expect(headers).not.toHaveProperty('cookie');
    expect(headers).not.toHaveProperty('authorization');
  }
});

it('a redirect is told and never followed', async () => {
  const location = 'http://169.254.169.254/latest/meta-data';
  expect(await request('/moved')).toMatchObject({ status: 302, location, text: '' });
  expect(asked).toHaveLength(1);
});

it('only the beginning of a large answer is read, also of one that is packed', async () => {
  for (const path of ['/large', '/bomb']) {
    const { text, isCut, status } = await request(path);
    expect([path, text?.length, isCut, status]).toEqual([path, 2_000, true, 200]);
  }
  expect(await request('/binary')).toMatchObject({ text: null, sizeBytes: 3 });
});

it('secrets of the service are not in its answer', async () => {
  const { text } = await request('/secret');
  expect(text).not.toMatch(/hunter2|kept-secret/);
  expect(text).toContain('stay inside');
});

it('a service that does not answer in 5 s, or only drips, is told as such', async () => {
  for (const path of ['/slow', '/drip']) {
    const startedAt = performance.now();
    expect(await request(path)).toMatchObject({ status: null, problem: 'no answer within 5 s' });
    expect(performance.now() - startedAt).toBeLessThan(9_000);
  }
  expect(await request('/broken')).toMatchObject({ status: null, problem: expect.stringContaining('closed') });
});

it('nothing is requested while the proxy knows a problem, since another program would answer', async () => {
  expect(await request('/', 'the port is taken')).toMatchObject({ status: null, problem: 'the port is taken' });
  expect(asked).toEqual([]);
});

it('a path cannot name another host, and has no spaces, backslashes or control characters', () => {
  const isPath = (path: string): boolean => probeAddress.input.safeParse({ project: 'shop', path }).success;
  for (const path of ['/', '/health', '/orders?page=2&by=a@b.c', '/a/../b', '/%2e%2e/x', '/:8080/', '/@evil.example'])
    expect([path, isPath(path)]).toEqual([path, true]);
  for (const path of [
    '',
    'health',
    '//evil.example/',
    '/\\evil.example',
    'http://evil.example/',
    '/a b',
    '/a\r\nHost: x',
    '@evil.example',
    ':80/',
    '/a#b',
  ])
    expect([path, isPath(path)]).toEqual([path, false]);
});
