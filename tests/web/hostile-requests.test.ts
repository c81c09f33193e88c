import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { createIdentityCode } from '@signalbox/store/people/identities';
import { afterAll, expect, test } from 'vitest';
import { eventually, until } from '../support/until.ts';
import { START_KEY } from '../support/wiring.ts';
import { ADA, bench, useBench } from './bench.ts';
import { TestPage } from './page.ts';
import { cookieOf, postSession, signedIn } from './requests.ts';

useBench();

let attempts = 0;
afterAll(() => console.log(`${attempts} hostile requests were refused`));

/** Counts an attempt that has to be refused. */
const refuse = async (status: Promise<number | null>, expected: number): Promise<void> => {
  attempts += 1;
  expect(await status).toBe(expected);
};

/** Where a browser says that a request comes from, when it is not our page. */
const ORIGINS = [
  'https://evil.example',
  'http://evil.example',
  'null',
  'http://127.0.0.1',
  'http://127.0.0.1:1',
  'http://127.0.0.2:{port}',
  'http://localhost.evil.example:{port}',
  'http://127.0.0.1.evil.example:{port}',
  'https://127.0.0.1:{port}',
  'http://user@127.0.0.1:{port}',
  'http://127.0.0.1:{port}/',
  'http://127.0.0.1:{port}.evil.example',
  'HTTP://127.0.0.1:{port}',
  'file://',
  'chrome-extension://abcdefghijklmnop',
  ' ',
  'http://0.0.0.0:{port}',
  'http://[::1]:{port}',
  null,
];

const ports = (url: string): readonly (string | null)[] =>
  ORIGINS.map((origin) => origin?.replace('{port}', new URL(url).port) ?? null);

/** How many are signed in, and how much was said. */
const traces = async (): Promise<readonly [logins: number, messages: number]> => [
  (await bench.harness.rows('select 1 from web_logins')).length,
  (await bench.harness.rows('select 1 from inbox')).length,
];

test('another site can neither sign anybody in or out nor open a socket, even with a valid cookie', async () => {
  const { url } = await bench.start();
  const cookie = await bench.signIn(url);
  const code = await createIdentityCode(bench.harness.pool, '1002');
  for (const origin of ports(url))
    for (const presented of [cookie, null]) {
      const headers = { ...(origin === null ? {} : { origin }), ...signedIn(presented) };
      const json = { 'content-type': 'application/json' };
      const body = JSON.stringify({ code });
      const status = (method: string, more: object): Promise<number> =>
        fetch(`${url}/session`, { method, ...more }).then((response) => response.status);
      await refuse(status('POST', { headers: { ...headers, ...json }, body }), 403);
      await refuse(status('DELETE', { headers }), 403);
      await refuse(
        new TestPage({ url, cookie: presented, origin }).opened().then(({ refused }) => refused),
        403,
      );
    }
  expect(await traces()).toEqual([1, 0]);
  // The code was not even looked at.
  expect((await postSession(url, { code })).status).toBe(200);
});

test('a request to the local machine over IPv4 or IPv6 gets the page of the gateway', async () => {
  const started = await bench.start({ WEB_DEMO_PEOPLE: 'on' });
  const other = `http://[::1]:${new URL(started.url).port}`;
  const page = await bench.open({
    url: other,
    cookie: cookieOf(await postSession(`${other}/${START_KEY}`, { person: ADA })),
  });
  expect(page.refused).toBeNull();
  await started.close();
  await expect(fetch(other)).rejects.toThrow();
});

test('the gateway does not start when another program has its port on the other address of localhost', async () => {
  const squatter = createServer().listen({ host: '::1', port: 0, ipv6Only: true });
  await once(squatter, 'listening');
  const { port } = squatter.address() as AddressInfo; // it listens on TCP
  await expect(bench.start({ GATEWAY_HTTP_PORT: String(port) })).rejects.toThrow(/EADDRINUSE/);
  squatter.close();
});

test('a request with a foreign host name that resolves to the local machine is refused', async () => {
  const { url } = await bench.start({ WEB_DEMO_PEOPLE: 'on' });
  const { port } = new URL(url);
  for (const host of [
    `evil.example:${port}`,
    'evil.example',
    `127.0.0.1.evil.example:${port}`,
    `localhost.:${port}`,
    '0.0.0.0',
    '',
  ]) {
    const ask = (head: string): Promise<string> =>
      exchange(Number(port), `${head}\r\nHost: ${host}\r\nOrigin: http://${host}\r\nConnection: close\r\n`);
    for (const head of [
      'GET / HTTP/1.1',
      'GET /session HTTP/1.1',
      'GET /files/art_1 HTTP/1.1',
      'DELETE /session HTTP/1.1',
    ])
      await refuse(ask(head).then(readStatus), 421);
    const post = `POST /session HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2`;
    await refuse(ask(post).then(readStatus), 421);
  }
  expect(await traces()).toEqual([0, 0]);
});

test('a request whose body is not JSON by its content type is refused with 415 before it is read', async () => {
  const { url } = await bench.start();
  const code = await createIdentityCode(bench.harness.pool, '1001');
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; charset=application/json',
    'application/jsonp',
    'application/json+x',
    'text/json',
    '',
    'application /json',
    '*/*',
  ];
  for (const type of types)
    await refuse(
      postSession(url, { code }, { 'content-type': type }).then(({ status }) => status),
      415,
    );
  expect(await traces()).toEqual([0, 0]);
});

test.each([
  ['', 400],
  ['{', 400],
  ['null', 400],
  ['[]', 400],
  ['"code"', 400],
  ['{}', 400],
  ['{"code":1}', 400],
  ['{"code":""}', 400],
  ['{"code":null}', 400],
  ['{"code":["AAAA-BBBB-CCCC"]}', 400],
  ['{"code":{"$ne":""}}', 400],
  ['{"code":"AAAA-BBBB-CCCC","person":"1001"}', 400],
  ['{"code":"AAAA-BBBB-CCCC","role":"admin"}', 400],
  ['{"person":1001}', 400],
  ['{"person":"1001"}', 401],
  ['{"person":"1001\' or 1=1 --"}', 401],
  ['{"code":"\' or 1=1 --"}', 401],
  ['{"code":"%"}', 401],
  ['{"code":"\\u0000"}', 401],
  ['{"code":"AAAA-BBBB-CCCC"}', 401],
  ['{"__proto__":{"code":"x"}}', 400],
  [`{"code":"${'A'.repeat(201)}"}`, 400],
  [`{"code":"${'A'.repeat(2_000)}"}`, 413],
  [`${' '.repeat(100_000)}{"code":"AAAA-BBBB-CCCC"}`, 413],
])('a sign-in with the body %j signs nobody in', async (body, status) => {
  const { url } = await bench.start();
  await refuse(
    postSession(url, body).then((response) => response.status),
    status,
  );
  expect(await traces()).toEqual([0, 0]);
});

test('a request whose body does not arrive is ended with 408', async () => {
  const { url } = await bench.start();
  const head = `POST /session HTTP/1.1\r\nHost: ${new URL(url).host}\r\nOrigin: ${url}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n`;
  // The server ends it: 10 s for all of a request.
  expect(readStatus(await exchange(Number(new URL(url).port), head, '{"code'))).toBe(408);
});

test('a forged cookie, or a real cookie without the key of its page, gives no access', async () => {
  const { url } = await bench.start();
  const real = await bench.signIn(url);
  const [cookie = '', key = ''] = real.split('#');
  const token = cookie.split('=')[1] ?? '';
  const forged = [
    '',
    'signalbox=',
    `signalbox=${'A'.repeat(43)}`,
    `signalbox=${token.slice(1)}A`,
    `signalbox=${token}A`,
    `signalbox=${token.slice(0, -1)}`,
    `signalbox=${token.toLowerCase()}`,
    `signalbox=' or '1'='1`,
    `signalbox=%00${token}`,
    `__Host-signalbox=${token}`,
    `Signalbox=${token}`,
    `other=${token}`,
    'signalbox=1001',
    'signalbox=web-1001',
    `signalbox=${(await bench.harness.rows<{ token_hash: string }>('select token_hash from web_logins'))[0]?.token_hash}`,
  ].filter((one) => one !== cookie);
  // Every program on this host is sent the cookie; the key is the page's alone, and worth nothing by itself.
  for (const shown of [...forged.map((one) => `${one}#${key}`), cookie, `${cookie}#${'A'.repeat(43)}`]) {
    await refuse(closeCode(bench.open({ url, cookie: shown })), 4001);
    await refuse(
      fetch(`${url}/files/art_1`, { headers: signedIn(shown) }).then(({ status }) => status),
      401,
    );
  }
  expect(await traces()).toEqual([1, 0]);
});

test('a socket with an invalid session, agent or number is refused', async () => {
  const { url } = await bench.start();
  const cookie = await bench.signIn(url);
  await bench.harness.rows(`insert into agents (id, summary) values ('product_owner', 'x')`);
  for (const query of [
    'session=../x',
    'session=A',
    'session=',
    `session=${'a'.repeat(41)}`,
    'session=1002%2Fx',
    'after=-1',
    'after=x',
    'after=1.5',
    'after=1e30',
    'mode=loud',
    'device=watch',
    'session=a&session=b',
    'agent=',
  ])
    await refuse(
      bench.open({ url, cookie, query }).then(({ refused }) => refused),
      400,
    );
  const unknown = await bench.open({ url, cookie, agent: 'root' });
  await until(() => unknown.closed !== null);
  expect(unknown.closed).toEqual({ code: 4000, reason: 'product_owner' });
  expect((await bench.open({ url, cookie, agent: 'product_owner' })).refused).toBeNull();
});

test("the twenty-first page of a person is refused until one is closed, and other people's pages are not", async () => {
  const { url } = await bench.start();
  const [ada, ben] = [await bench.signIn(url), await bench.signIn(url, '1002')];
  const pages: TestPage[] = [];
  for (let n = 0; n < 20; n += 1) pages.push(await bench.open({ url, cookie: ada, session: `s${n}` }));
  await until(() => pages.every(({ frames }) => frames.length > 0));
  await refuse(
    bench.open({ url, cookie: ada }).then(({ refused }) => refused),
    429,
  );
  expect((await bench.open({ url, cookie: ben })).refused).toBeNull();
  await pages[0]?.close();
  await until(async () => (await bench.open({ url, cookie: ada })).refused === null);
});

test('a person cannot download a file that was not sent to them', async () => {
  const { url } = await bench.start();
  const [ada, ben] = [await bench.signIn(url), await bench.signIn(url, '1002')];
  await bench.harness
    .rows(`insert into artifacts (id, action_id, place, turn_id, thread_id, user_key, name, mime_type, sha256, size_bytes, bytes)
    values ('art_1', 'a', 0, 't', 't', 'web-1001', 'a "b"\n<c>.html', 'text/html', '', 5, 'hello')`);
  await bench.harness.rows(
    `insert into outbox (key, chat_key, trace_id, priority, body) values ('k', 'web:1001', 't', 5, $1)`,
    [{ text: 'Here.', buttons: [], files: [{ artifactId: 'art_1', name: 'a.html' }] }],
  );
  await bench.harness.say('web:1001', [{ text: 'That was it.' }]);
  const page = await bench.open({ url, cookie: ada });
  await until(() => page.texts().length === 2);
  const file = await fetch(`${url}/files/art_1`, { headers: signedIn(ada) });
  expect([file.status, await file.text()]).toEqual([200, 'hello']);
  expect(file.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''a%20%22b%22%0A%3Cc%3E.html`);
  expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  expect(file.headers.get('content-type')).toBe('application/octet-stream');
  for (const [artifact, cookie] of [
    ['art_1', ben],
    ['art_2', ada],
    ['..%2F..%2Fetc%2Fpasswd', ada],
    ['art_1%00', ada],
    ['%25', ada],
  ] as const)
    await refuse(
      fetch(`${url}/files/${artifact}`, { headers: signedIn(cookie) }).then(({ status }) => status),
      404,
    );
});

/** Sends a head and a body, and answers all that comes back until the end. */
function exchange(port: number, head: string, body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\n${body}`));
    socket.on('data', (bytes) => (answer += bytes.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

function readStatus(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

async function closeCode(opening: Promise<TestPage>): Promise<number> {
  const page = await opening;
  return eventually(
    async () => page.closed?.code ?? page.refused ?? 0,
    (code) => code !== 0,
  );
}
