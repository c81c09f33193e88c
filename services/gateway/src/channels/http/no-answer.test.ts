import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { classifyRequestFailure } from './no-answer.ts';

const failed = (code: string): Error => Object.assign(new Error(code), { code });

test.each([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('a request that fails with %s, even as a nested cause, never reached the server', (code) => {
  expect(classifyRequestFailure(failed(code))).toEqual({ kind: 'unreachable', detail: code });
  const cause = new TypeError('fetch failed', { cause: failed(code) });
  expect(classifyRequestFailure(new Error('call failed', { cause }))).toEqual({ kind: 'unreachable', detail: code });
});

test.each([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'ERR_SSL_BAD_RECORD_TYPE',
  'XENOTFOUND',
])('a request that fails with %s is ambiguous, because the server may have received it', (code) => {
  expect(classifyRequestFailure(failed(code))).toEqual({ kind: 'ambiguous', detail: code });
});

test('a request that fails without an error code is ambiguous', () => {
  for (const error of [new DOMException('too late', 'TimeoutError'), new Error('no'), 'no', undefined])
    expect(classifyRequestFailure(error)).toEqual({ kind: 'ambiguous', detail: 'no answer' });
});

test('a closed server and one without TLS are unreachable, and one that hangs up is ambiguous', async () => {
  const server = createServer((asked) => asked.socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const ask = async (url: string): Promise<string> => {
    const error: unknown = await request(url).catch((reason: unknown) => reason);
    return classifyRequestFailure(error).kind;
  };
  expect(await ask(`http://127.0.0.1:${port}`)).toBe('ambiguous');
  expect(await ask(`https://127.0.0.1:${port}`)).toBe('unreachable');
  await close(server);
  expect(await ask(`http://127.0.0.1:${port}`)).toBe('unreachable');
});

function close(server: Server): Promise<unknown> {
  return new Promise((resolve) => server.close(resolve));
}
