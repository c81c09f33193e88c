import { createHash, randomBytes } from 'node:crypto';
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { rmSync } from 'node:fs';
import { createProxyTraffic } from '@signalbox/jobs/traffic/proxy-traffic';
import type { RouteState } from '@signalbox/contracts/operations/traffic';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { startProxy, type ProxyBench } from './proxy-bench.ts';

const SERVICE = 'shop/staging';
const never = new AbortController().signal;

let proxy: ProxyBench;
let door: number;
const closers: (() => void)[] = [];
beforeEach(async () => {
  proxy = await startProxy(undefined, { PROXY_CONNECT_MS: '500', PROXY_SILENCE_MS: '400' });
  door = await freePort();
});
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await proxy.close();
  rmSync(proxy.folder, { recursive: true });
});

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port; // it listens on TCP
const listening = async <S extends Server | ReturnType<typeof createTcpServer>>(server: S): Promise<S> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return server;
};
const startInstance = (handle: RequestListener): Promise<Server> => listening(createServer(handle));

let fence = 0;
const routeTo = (port: number): Promise<RouteState> =>
  createProxyTraffic(proxy).switchTo(
    {
      service: SERVICE,
      listen: { host: '127.0.0.1', port: door },
      upstream: { host: '127.0.0.1', port },
      release: '1.0.0',
      deploymentId: 'act_1',
      fence: (fence += 1),
    },
    never,
  );
const stateNow = async (): Promise<RouteState> => {
  const state = await createProxyTraffic(proxy).current(SERVICE, never);
  if (!state) throw new Error('no route');
  return state;
};

describe('the sign-in cookie of the web page', () => {
  it('never reaches a deployed program, and a deployed program cannot set it', async () => {
    const seen: (string | undefined)[] = [];
    const instance = await startInstance((asked, answer) => {
      seen.push(asked.headers.cookie);
      answer.setHeader('set-cookie', [
        'signalbox=mine; Path=/',
        '__Host-signalbox=mine; Secure; Path=/',
        ' SIGNALBOX = mine',
        '=signalbox=mine',
        'signalbox',
        'signalboxes=theirs',
        'cart=signalbox',
      ]);
      answer.end();
    });
    await routeTo(portOf(instance));
    const answers = [];
    for (const cookie of [
      'signalbox=secret; cart=7',
      'cart=7; __Host-signalbox=secret;theme=dark',
      'signalbox=secret',
      'SignalBox=secret; signalbox-key=secret; a=signalbox=1',
    ])
      answers.push(await fetch(`http://127.0.0.1:${door}/`, { headers: { cookie } }));
    expect(seen).toEqual(['cart=7', 'cart=7;theme=dark', undefined, 'a=signalbox=1']);
    for (const { headers } of answers) expect(headers.getSetCookie()).toEqual(['signalboxes=theirs', 'cart=signalbox']);
  });
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** One request on a connection of its own. Rejects when the answer breaks off. */
const ask = (
  path = '/',
  options: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options;
    const asked = request({ port: door, host: '127.0.0.1', path, method, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.once('error', reject);
      answer.once('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts).toString() }),
      );
    });
    asked.once('error', reject);
    asked.end(body);
  });

describe('a request through the proxy', () => {
  it('arrives with the address of its sender, and without hop-by-hop headers', async () => {
    let seen: IncomingMessage['headers'] = {};
    const instance = await startInstance(({ headers }, response) => {
      seen = headers;
      response
        .writeHead(201, { 'x-release': '1.0.0', 'set-cookie': ['a=1', 'b=2'], 'keep-alive': 'timeout=5' })
        .end('hi');
    });
    await routeTo(portOf(instance));
    const answer = await ask('/path?q=1', {
      headers: {
        host: 'shop.example.org',
        connection: 'close, x-mine',
        'x-mine': 'dropped',
        'x-kept': 'kept',
        te: 'trailers',
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-proto': 'https',
      },
    });
    expect(seen).toMatchObject({
      host: 'shop.example.org',
      'x-kept': 'kept',
      'x-forwarded-for': '127.0.0.1', // what the client says of itself is not believed
      'x-forwarded-host': 'shop.example.org',
      'x-forwarded-proto': 'http',
    });
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['x-mine']));
    expect(seen['te']).toBeUndefined();
    expect(answer).toMatchObject({ status: 201, body: 'hi' });
    expect(answer.headers).toMatchObject({ 'x-release': '1.0.0', 'set-cookie': ['a=1', 'b=2'] });
    expect(answer.headers['keep-alive']).toBeUndefined();
  });

  it('is streamed unchanged to the instance, and the response is streamed back unchanged', async () => {
    const sent = randomBytes(3_000_000);
    const instance = await startInstance((request_, response) => request_.pipe(response));
    await routeTo(portOf(instance));
    const digest = createHash('sha256');
    let firstAt = 0;
    let sentAt = 0;
    await new Promise<void>((resolve, reject) => {
      const asked = request({ port: door, host: '127.0.0.1', method: 'PUT', agent: false }, (answer) => {
        answer.on('data', (part: Buffer) => {
          firstAt ||= performance.now();
          digest.update(part);
        });
        answer.once('end', resolve);
      });
      asked.once('error', reject);
      asked.write(sent.subarray(0, 1_000));
      // The rest is only sent once the beginning has come back.
      void until(() => firstAt > 0).then(() => {
        sentAt = performance.now();
        asked.end(sent.subarray(1_000));
      }, reject);
    });
    expect(firstAt).toBeLessThan(sentAt);
    expect(digest.digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'));
  });

  it('with a body of unknown length keeps the body, even for DELETE', async () => {
    const instance = await startInstance((request_, response) => request_.pipe(response));
    await routeTo(portOf(instance));
    const answer = await ask('/', { method: 'DELETE', headers: { 'transfer-encoding': 'chunked' }, body: 'which one' });
    expect(answer.body).toBe('which one');
  });

  it('that its client aborts is aborted at the instance too, and is no longer counted as open', async () => {
    let isLeft = false;
    const instance = await startInstance((request_, response) => {
      response.once('close', () => (isLeft = true));
      response.write('begun');
    });
    await routeTo(portOf(instance));
    const asked = request({ port: door, host: '127.0.0.1', agent: false }, (answer) =>
      answer.once('data', () => asked.destroy()),
    );
    asked.on('error', () => undefined); // it was given up
    asked.end();
    await until(() => isLeft);
    await until(async () => (await stateNow()).open.every(({ requests }) => requests === 0));
    expect(await stateNow()).toMatchObject({ failed: 0 });
  });

  it('is answered with a plain sentence and counted as failed when its instance is gone', async () => {
    await routeTo(await freePort());
    const answer = await ask('/', { method: 'POST', body: 'x' });
    expect(answer).toMatchObject({ status: 502 });
    expect(answer.body).toBe('shop/staging cannot be reached right now. Please try again in a moment.\n');
    expect(await stateNow()).toMatchObject({ failed: 1 });
    const metrics = await (await fetch(`http://127.0.0.1:${proxy.probePort}/metrics`)).text();
    expect(metrics).toMatch(/signalbox_proxy_requests_total\{.*target="shop\/staging",outcome="unreached".*\} 1/);
  });

  it('that could not reach its instance is sent with its body to the new instance after a switch', async () => {
    const instance = await startInstance((request_, response) => request_.pipe(response));
    await routeTo(await freePort());
    const answering = ask('/', { method: 'POST', body: 'only once' });
    await routeTo(portOf(instance));
    expect(await answering).toMatchObject({ status: 200, body: 'only once' });
    expect(await stateNow()).toMatchObject({ served: 1, failed: 0 });
  });

  it.each([
    ['GET', 2],
    ['POST', 1],
  ])('with the method %s is sent %i times when its instance closes without an answer', async (method, times) => {
    let connections = 0;
    const instance = await listening(
      createTcpServer((socket: Socket) => {
        connections += 1;
        socket.on('error', () => undefined);
        socket.once('data', () => socket.destroy());
      }),
    );
    await routeTo(portOf(instance));
    expect(await ask('/', { method, ...(method === 'POST' ? { body: 'x' } : {}) })).toMatchObject({ status: 502 });
    expect(connections).toBe(times);
  });

  it('whose instance falls silent gets an error, or is cut when the response had started', async () => {
    const instance = await startInstance((request_, response) => {
      if (request_.url === '/begun') response.write('half of');
    });
    closers.push(() => instance.closeAllConnections());
    await routeTo(portOf(instance));
    expect(await ask('/')).toMatchObject({
      status: 504,
      body: expect.stringContaining('did not answer in time') as string,
    });
    await expect(ask('/begun')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await stateNow()).toMatchObject({ failed: 2, served: 0 });
  });

  it('is cut when the instance dies during the response, so that the response never looks complete', async () => {
    const instance = await startInstance((_request, response) => {
      response.write('half of');
      setImmediate(() => response.destroy());
    });
    await routeTo(portOf(instance));
    await expect(ask('/')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('can be refused by its instance before its body has arrived', async () => {
    const instance = await startInstance((_request, response) => {
      response.writeHead(413).end('too large');
    });
    await routeTo(portOf(instance));
    expect(await ask('/', { method: 'POST', body: 'x'.repeat(2_000_000) })).toMatchObject({
      status: 413,
      body: 'too large',
    });
  });
});

describe('a connection that upgrades to another protocol', () => {
  /** Sends the head of a websocket request; gives the connection and what has come so far. */
  const knock = (): { readonly socket: Socket; readonly got: () => string } => {
    let text = '';
    const socket = connect(door, '127.0.0.1');
    socket.on('data', (part) => (text += part.toString()));
    socket.on('error', () => undefined);
    socket.write(
      'GET /live HTTP/1.1\r\nhost: shop\r\nconnection: Upgrade\r\nupgrade: websocket\r\nx-kept: 1\r\n\r\nfirst',
    );
    closers.push(() => socket.destroy());
    return { socket, got: () => text };
  };
  const startEcho = async (): Promise<Server> => {
    const server = await startInstance((_request, response) => response.writeHead(426).end('no'));
    server.on('upgrade', (request_, socket, head) => {
      socket.on('error', () => undefined);
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nx-saw: ${String(request_.headers['x-kept'])}\r\n\r\n`,
      );
      socket.write(head);
      socket.pipe(socket);
    });
    return server;
  };

  it('carries data in both directions, stays with its instance after a switch, and is counted until it closes', async () => {
    const [old, next] = [await startEcho(), await startEcho()];
    await routeTo(portOf(old));
    const { socket, got } = knock();
    await until(() => got().endsWith('first'));
    expect(got()).toMatch(/^HTTP\/1.1 101 [^]*x-saw: 1/);
    await routeTo(portOf(next));
    socket.write(' and second');
    await until(() => got().endsWith('first and second'));
    expect((await stateNow()).open).toContainEqual({ upstream: { host: '127.0.0.1', port: portOf(old) }, requests: 1 });
    socket.destroy();
    await until(async () => (await stateNow()).open.length === 1);
  });

  it('gets the response of an instance that refuses the upgrade', async () => {
    const instance = await startInstance((_request, response) => response.writeHead(403).end('not here'));
    await routeTo(portOf(instance));
    const { got } = knock();
    await until(() => got().includes('not here'));
    expect(got()).toMatch(/^HTTP\/1.1 403 /);
  });

  it('gets an error when no instance answers', async () => {
    await routeTo(await freePort());
    const { got } = knock();
    await until(() => got().includes('cannot be reached'));
    expect(got()).toMatch(/^HTTP\/1.1 502 /);
  });
});
