import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FetchResult } from '@signalbox/gateway/channels/channel';
import { createTelegram } from '@signalbox/gateway/channels/telegram/channel';
import { createLog } from '@signalbox/platform/log';
import { expect, it, onTestFinished } from 'vitest';

const TOKEN = '100:very-secret-token';
const LIMIT = 1_000;

/** What a Bot API server may answer that the simulator never does. `file`: how it serves the bytes. */
async function fetchFrom(
  getFile: object,
  file: (response: ServerResponse, request: IncomingMessage) => void,
  signal = AbortSignal.timeout(5_000),
): Promise<FetchResult | undefined> {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/file/')) return file(response, request);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(getFile));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const channel = createTelegram({
    token: TOKEN,
    apiRoot: `http://127.0.0.1:${port}`,
    log: createLog('test', 'silent'),
    webhook: null,
    loadFile: async () => null,
  });
  return channel.fetchFile?.('f1', { limitBytes: LIMIT, signal });
}

const found = (result: object): object => ({ ok: true, result: { file_id: 'f1', file_unique_id: 'u1', ...result } });
const bytes = (count: number) => (response: ServerResponse) =>
  void response.writeHead(200).end(Buffer.alloc(count, 'x'));

it('a download returns the bytes of a file up to the size limit', async () => {
  const fetched = await fetchFrom(found({ file_path: 'voice/file_1.oga', file_size: LIMIT }), bytes(LIMIT));
  expect(fetched).toEqual({ kind: 'file', bytes: Buffer.alloc(LIMIT, 'x') });
});

it('a download stops at the size limit when Telegram reports no size, and a larger reported size is refused', async () => {
  let sent = 0;
  const fetched = await fetchFrom(found({ file_path: 'voice/a' }), (response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(100))) sent += 100;
      if (!response.destroyed) response.once('drain', write);
    };
    response.writeHead(200);
    write();
  });
  expect(fetched).toEqual({ kind: 'too-large' });
  expect(sent).toBeGreaterThan(LIMIT);
  expect(await fetchFrom(found({ file_path: 'voice/a', file_size: LIMIT + 1 }), bytes(1))).toEqual({
    kind: 'too-large',
  });
});

it('a download requests only addresses under the file path of the Bot API', async () => {
  const asked: string[] = [];
  await fetchFrom(found({ file_path: 'voice/a?b#c d/%2e%2e' }), (response, { url }) => {
    asked.push(url ?? '');
    bytes(1)(response);
  });
  expect(asked).toEqual([`/file/bot${TOKEN}/voice/a%3Fb%23c%20d/%252e%252e`]);
  for (const file_path of ['../../bot1/getMe', 'voice/../../x', '/etc/passwd', './x'])
    expect(await fetchFrom(found({ file_path }), () => expect.unreachable())).toEqual({ kind: 'gone' });
});

it.each([
  ['a file that is gone', { ok: false, error_code: 400, description: 'Bad Request: invalid file_id' }, 'gone'],
  [
    'a file that bots do not get',
    { ok: false, error_code: 400, description: 'Bad Request: file is too big' },
    'too-large',
  ],
  ['a server that has a problem', { ok: false, error_code: 500, description: 'Internal' }, 'away'],
  ['a rate limit', { ok: false, error_code: 429, description: 'Too Many', parameters: { retry_after: 1 } }, 'away'],
  ['no path', found({}), 'gone'],
])('a download that meets %s returns a result instead of throwing', async (_, getFile, kind) => {
  expect((await fetchFrom(getFile, bytes(1)))?.kind).toBe(kind);
});

it.each([
  ['does not exist', (response: ServerResponse) => void response.writeHead(404).end(), 'gone'],
  ['fails', (response: ServerResponse) => void response.writeHead(502).end(), 'away'],
  [
    'points elsewhere',
    (response: ServerResponse) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    'away',
  ],
  [
    'breaks off',
    (response: ServerResponse) => void response.writeHead(200).write('x', () => response.destroy()),
    'away',
  ],
  ['never comes', () => undefined, 'away'],
])('the result of a download says, without the bot token, that the file %s', async (_, file, kind) => {
  const fetched = await fetchFrom(found({ file_path: 'voice/a' }), file, AbortSignal.timeout(300));
  expect(fetched?.kind).toBe(kind);
  expect(JSON.stringify(fetched)).not.toContain('secret');
});
