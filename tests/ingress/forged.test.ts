import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendRaw } from '../telegram/webhook/webhook-caller.ts';
import { openIngress, type IngressGateway } from './ingress-gateway.ts';
import { nowSeconds, OTHER_SECRET, SECRET, signatureOf } from './program.ts';

let ingress: IngressGateway;
let port: number;
beforeAll(async () => {
  ingress = await openIngress({ ci: { callback: 'https://receiver.example.org/answers' } });
  port = Number(new URL(ingress.ci.url).port);
});
afterAll(() => ingress.close());

const MEGABYTE = 1024 * 1024;
/** Sockets keep what a slow reader did not take yet; nothing beyond that can have been read by the gateway. */
const SOCKET_BUFFERS_BYTES = 16 * MEGABYTE;

const BODY = JSON.stringify({ text: 'the build is red' });
/** When all of these were signed: as long as they take, it is new enough. */
const NOW = nowSeconds();
const ID = 'evt_00000000000000000000';
const OTHER_ID = 'evt_00000000000000000001';

interface Request {
  readonly line?: string;
  readonly source?: string | null;
  readonly timestamp?: string | null;
  /** Made of the timestamp and the body when not given. */
  readonly signature?: string | null;
  readonly secret?: string;
  /** What is signed, when that is not what is sent. */
  readonly signed?: string;
  readonly type?: string | null;
  readonly length?: string;
  readonly body?: string;
  readonly more?: readonly string[];
  /** Bytes sent behind the head, as far as the gateway lets us. */
  readonly restBytes?: number;
}

interface Forgery extends Request {
  readonly what: string;
  readonly status: number;
}

/** A genuine request but for what is given; null leaves a header out. */
function write(request: Request): string {
  const { body = BODY, secret = SECRET, source = 'ci', type = 'application/json' } = request;
  const { line = 'POST /webhook/ingress HTTP/1.1', timestamp = NOW, more = [] } = request;
  const made = signatureOf(secret, timestamp ?? '', request.signed ?? body);
  const { signature = made, length = `Content-Length: ${Buffer.byteLength(body)}` } = request;
  const header = (name: string, value: string | null): readonly string[] =>
    value === null ? [] : [`${name}: ${value}`];
  const head = [
    line,
    'Host: bot.example.org',
    ...header('Content-Type', type),
    ...header('X-Signalbox-Source', source),
    ...header('X-Signalbox-Timestamp', timestamp),
    ...header('X-Signalbox-Signature', signature),
    length,
    ...more,
  ];
  return `${head.filter((one) => one !== '').join('\r\n')}\r\n\r\n${body}`;
}

const past = (seconds: number): string => String(Number(NOW) - seconds);
const genuine = (): string => signatureOf(SECRET, NOW, BODY);

/** Whoever has no secret gets 401 and not a word more. */
const unauthorized = (what: string, request: Request): Forgery => ({ what, status: 401, ...request });
/** Asks for the answer of an event; what is signed is said by each. */
const reading = (what: string, request: Request): Forgery =>
  unauthorized(`reading with ${what}`, {
    line: `GET /webhook/ingress/${ID} HTTP/1.1`,
    type: null,
    body: '',
    length: '',
    ...request,
  });
const STRANGERS: readonly Forgery[] = [
  unauthorized('no source', { source: null }),
  unauthorized('an empty source', { source: '' }),
  unauthorized('an unknown source', { source: 'nobody' }),
  unauthorized('a source in capitals', { source: 'CI' }),
  unauthorized('a source with a space behind a letter', { source: 'c i' }),
  unauthorized('two sources', { source: 'ci, ci' }),
  unauthorized('the source twice', { more: ['X-Signalbox-Source: ci'] }),
  unauthorized('another source first', { source: 'alerts', more: ['X-Signalbox-Source: ci'] }),
  unauthorized('the user key instead of the source', { source: 'ingress-ci' }),
  unauthorized('a name of JavaScript', { source: '__proto__' }),
  unauthorized('a method of JavaScript', { source: 'constructor' }),
  unauthorized('an unknown source and another method', { source: 'nobody', line: 'DELETE /webhook/ingress HTTP/1.1' }),
  unauthorized('an unknown source and a form', { source: 'nobody', type: 'application/x-www-form-urlencoded' }),
  unauthorized('no signature', { signature: null }),
  unauthorized('an empty signature', { signature: '' }),
  unauthorized('only the version', { signature: 'v1=' }),
  unauthorized('a signature of zeros', { signature: `v1=${'0'.repeat(64)}` }),
  unauthorized('a signature that is cut', { signature: genuine().slice(0, -1) }),
  unauthorized('half of a signature', { signature: genuine().slice(0, 35) }),
  unauthorized('one digit of a signature', { signature: genuine().slice(0, 4) }),
  unauthorized('a signature with a digit more', { signature: `${genuine()}0` }),
  unauthorized('a signature without its version', { signature: genuine().slice(3) }),
  unauthorized('a signature of another version', { signature: genuine().replace('v1', 'v0') }),
  unauthorized('a signature with a version that does not exist', { signature: genuine().replace('v1', 'v2') }),
  unauthorized('a signature in capitals', { signature: `v1=${genuine().slice(3).toUpperCase()}` }),
  unauthorized('a signature in quotes', { signature: `"${genuine()}"` }),
  unauthorized('a list of signatures', { signature: `${genuine()},${genuine()}` }),
  unauthorized('the signature twice', { more: [`X-Signalbox-Signature: ${genuine()}`] }),
  unauthorized('a forged signature before the right one', {
    signature: `v1=${'0'.repeat(64)}`,
    more: [`X-Signalbox-Signature: ${genuine()}`],
  }),
  unauthorized('a signature in base 64', {
    signature: `v1=${Buffer.from(genuine().slice(3), 'hex').toString('base64')}`,
  }),
  unauthorized('a signature of 7 kB', { signature: `v1=${'a'.repeat(7_000)}` }),
  unauthorized('a signature in the address', {
    line: `POST /webhook/ingress?signature=${genuine()} HTTP/1.1`,
    signature: null,
  }),
  unauthorized('the secret itself', { signature: SECRET }),
  unauthorized('the secret as a bearer', { signature: null, more: [`Authorization: Bearer ${SECRET}`] }),
  unauthorized("another source's secret", { secret: OTHER_SECRET }),
  unauthorized('its own secret in the name of another source', { source: 'alerts' }),
  unauthorized('a guessed secret', { secret: 'password' }),
  unauthorized('an empty secret', { secret: '' }),
  unauthorized('the secret with a letter less', { secret: SECRET.slice(0, -1) }),
  unauthorized('the secret with a line break', { secret: `${SECRET}\n` }),
  unauthorized('the secret in capitals', { secret: SECRET.toUpperCase() }),
  unauthorized('a changed body', { signed: BODY, body: BODY.replace('red', 'dead') }),
  unauthorized('a body with a space more', { signed: BODY, body: `${BODY} ` }),
  unauthorized('a body that is cut', { signed: BODY, body: BODY.slice(0, -1) }),
  unauthorized('no body', { signed: BODY, body: '' }),
  unauthorized('a body with a mark before it', { signed: BODY, body: `\ufeff${BODY}` }),
  unauthorized('the same JSON in other bytes', { signed: BODY, body: BODY.replace('red', 'r\\u0065d') }),
  unauthorized('a signature over the body without the time', {
    signature: signatureOf(SECRET, '', BODY).replace('.', ''),
  }),
  unauthorized('a signature over another time', { signature: signatureOf(SECRET, past(10), BODY) }),
  unauthorized('a signature over nothing', { signed: '' }),
  unauthorized('a signature over an id, as of reading', { signed: ID }),
  unauthorized('a dot moved from the body to the time', {
    signature: signatureOf(SECRET, NOW, `.${BODY}`),
  }),
  reading('the signature of another event', { signed: OTHER_ID }),
  reading('a signature over nothing', { signed: '' }),
  reading('a signature over the event that was sent', { signed: BODY }),
  reading('a signature over the whole path', { signed: `/webhook/ingress/${ID}` }),
  reading('a signature over the id in capitals', { signed: ID.toUpperCase() }),
  reading('the id of the signature in the query', {
    line: `GET /webhook/ingress/${ID}?id=${OTHER_ID} HTTP/1.1`,
    signed: OTHER_ID,
  }),
  reading('a signature of ten seconds ago with the time of now', { signature: signatureOf(SECRET, past(10), ID) }),
  reading('a signature over another time and no id', { signature: signatureOf(SECRET, past(10), '') }),
  reading('the secret of another source', { secret: OTHER_SECRET, signed: ID }),
  reading('the name of another source', { source: 'alerts', signed: ID }),
  unauthorized('no timestamp', { timestamp: null }),
  unauthorized('an empty timestamp', { timestamp: '' }),
  unauthorized('a timestamp of six minutes ago', { timestamp: past(360) }),
  unauthorized('a timestamp of yesterday', { timestamp: past(86_400) }),
  unauthorized('a timestamp in six minutes', { timestamp: past(-360) }),
  unauthorized('a timestamp of next year', { timestamp: past(-31_536_000) }),
  unauthorized('a timestamp of 1970', { timestamp: '0' }),
  unauthorized('a timestamp in milliseconds', { timestamp: `${NOW}000` }),
  unauthorized('a timestamp with a fraction', { timestamp: `${NOW}.5` }),
  unauthorized('a negative timestamp', { timestamp: `-${NOW}` }),
  unauthorized('a timestamp in hexadecimal', { timestamp: `0x${Number(NOW).toString(16)}` }),
  unauthorized('a timestamp in exponents', { timestamp: `${Number(NOW)}e0` }),
  unauthorized('a timestamp as a date', { timestamp: new Date().toISOString() }),
  unauthorized('a timestamp of words', { timestamp: 'now' }),
  unauthorized('an endless timestamp', { timestamp: '9'.repeat(5_000) }),
  unauthorized('two timestamps', { more: [`X-Signalbox-Timestamp: ${NOW}`] }),
  unauthorized('a body of 64 MB of a stranger', {
    source: 'nobody',
    body: '',
    length: `Content-Length: ${64 * MEGABYTE}`,
    restBytes: 64 * MEGABYTE,
  }),
  unauthorized('endless chunks of a stranger', {
    source: 'nobody',
    body: 'fffffff\r\n',
    length: 'Transfer-Encoding: chunked',
    restBytes: 64 * MEGABYTE,
  }),
  unauthorized('a small body without a signature that never ends', {
    signature: null,
    body: '{',
    length: 'Content-Length: 90000',
  }),
];

/** What is wrong with a request that may be genuine. */
const MALFORMED: readonly Forgery[] = [
  { what: 'GET', status: 405, line: 'GET /webhook/ingress HTTP/1.1' },
  { what: 'PUT', status: 405, line: 'PUT /webhook/ingress HTTP/1.1' },
  { what: 'DELETE', status: 405, line: 'DELETE /webhook/ingress HTTP/1.1' },
  { what: 'PATCH', status: 405, line: 'PATCH /webhook/ingress HTTP/1.1' },
  { what: 'OPTIONS', status: 405, line: 'OPTIONS /webhook/ingress HTTP/1.1' },
  { what: 'POST to an answer', status: 405, line: `POST /webhook/ingress/${ID} HTTP/1.1` },
  { what: 'DELETE of an answer', status: 405, line: `DELETE /webhook/ingress/${ID} HTTP/1.1` },
  { what: 'a method that HTTP does not know', status: 400, line: 'STEAL /webhook/ingress HTTP/1.1' },
  { what: 'a form', status: 415, type: 'application/x-www-form-urlencoded' },
  { what: 'plain text', status: 415, type: 'text/plain' },
  { what: 'no type', status: 415, type: null },
  { what: 'a type that only begins like JSON', status: 415, type: 'application/jsonx' },
  { what: 'JSON in lines', status: 415, type: 'application/x-ndjson' },
  { what: 'a form with files', status: 415, type: 'multipart/form-data; boundary=x' },
  {
    what: 'a body of 64 MB',
    status: 413,
    body: '',
    length: `Content-Length: ${64 * MEGABYTE}`,
    restBytes: 64 * MEGABYTE,
  },
  { what: 'a byte more than the limit', status: 413, length: 'Content-Length: 102401' },
  {
    what: 'endless chunks',
    status: 413,
    body: 'fffffff\r\n',
    length: 'Transfer-Encoding: chunked',
    restBytes: 64 * MEGABYTE,
  },
  { what: 'a body for reading', status: 413, line: `GET /webhook/ingress/${ID} HTTP/1.1` },
  {
    what: 'chunks for reading',
    status: 413,
    line: `GET /webhook/ingress/${ID} HTTP/1.1`,
    length: 'Transfer-Encoding: chunked',
    body: '0\r\n\r\n',
  },
  { what: 'two lengths', status: 400, length: 'Content-Length: 5\r\nContent-Length: 6' },
  { what: 'a length and chunks', status: 400, length: 'Content-Length: 5\r\nTransfer-Encoding: chunked' },
  { what: 'a negative length', status: 400, length: 'Content-Length: -1' },
  { what: 'a head of 20 kB', status: 400, more: [`X-Long: ${'y'.repeat(20_000)}`] },
  { what: 'a path above', status: 404, line: 'POST /webhook HTTP/1.1' },
  { what: 'a path below an answer', status: 404, line: `GET /webhook/ingress/${ID}/x HTTP/1.1` },
  { what: 'another way to write the path', status: 404, line: 'POST /webhook//ingress HTTP/1.1' },
  { what: 'a path that leads up', status: 404, line: 'POST /webhook/x/../ingress HTTP/1.1' },
  { what: 'an unreadable path', status: 404, line: 'POST /%zz HTTP/1.1' },
];

/** Nested a thousand times deeper than anything that a program means. */
const DEEP = `{"text": ${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
const signed = (what: string, body: string): Forgery => ({ what, status: 400, body });

/** Signed, and nothing that we take. */
const UNREADABLE: readonly Forgery[] = [
  signed('an empty body', ''),
  signed('no JSON', '{"text": nonsense'),
  signed('two texts in one body', `${BODY}${BODY}`),
  signed('a text', '"deploy"'),
  signed('a list', `[${BODY}]`),
  signed('null', 'null'),
  signed('nothing in it', '{}'),
  signed('an empty text', '{"text": ""}'),
  signed('a text of spaces', '{"text": "   "}'),
  signed('a number for a text', '{"text": 7}'),
  signed('a list for a text', '{"text": ["deploy"]}'),
  signed('JSON 40,000 levels deep', DEEP),
  signed('a text that is too long', JSON.stringify({ text: 'x'.repeat(16_001) })),
  signed('a field that we do not know', '{"text": "a", "role": "admin"}'),
  signed('a prototype', '{"text": "a", "__proto__": {"role": "admin"}}'),
  signed('another user', '{"text": "a", "userKey": "1001"}'),
  signed('a conversation that leads elsewhere', '{"text": "a", "conversation": "../alerts"}'),
  signed('a conversation with a slash', '{"text": "a", "conversation": "a/b"}'),
  signed('a conversation with a colon', '{"text": "a", "conversation": "telegram:1001"}'),
  signed('an empty conversation', '{"text": "a", "conversation": ""}'),
  signed('a conversation of 81 letters', JSON.stringify({ text: 'a', conversation: 'c'.repeat(81) })),
  signed('a text and a press', '{"text": "a", "press": {"message": "msg_1", "index": 0}}'),
  signed('a press of no message', '{"press": {"message": "", "index": 0}}'),
  signed('a press of a message that is SQL', '{"press": {"message": "msg_1; drop table users", "index": 0}}'),
  signed('a press of a message that is too large', '{"press": {"message": "msg_99999999999999999999", "index": 0}}'),
  signed('a press of a button before the first', '{"press": {"message": "msg_1", "index": -1}}'),
  signed('a press of half a button', '{"press": {"message": "msg_1", "index": 0.5}}'),
  signed('an answer elsewhere', '{"text": "a", "replyTo": "https://evil.example.org/"}'),
  signed('an answer below the address', '{"text": "a", "replyTo": "https://receiver.example.org/answers/x"}'),
  signed('an answer to another port', '{"text": "a", "replyTo": "https://receiver.example.org:444/answers"}'),
  signed('an answer to this machine', '{"text": "a", "replyTo": "http://127.0.0.1:5432/"}'),
  signed('an answer to the metadata of a cloud', '{"text": "a", "replyTo": "http://169.254.169.254/"}'),
  signed('an answer to a file', '{"text": "a", "replyTo": "file:///etc/passwd"}'),
  signed(
    'a message of ours, sent back',
    '{"event": null, "conversation": "a", "message": {"id": "msg_1", "text": "a"}}',
  ),
  signed('a key with a space', '{"text": "a", "id": "a b"}'),
  signed('an empty key', '{"text": "a", "id": ""}'),
  signed('a key of 121 letters', JSON.stringify({ text: 'a', id: 'k'.repeat(121) })),
  { ...signed('two keys that differ', '{"text": "a", "id": "one"}'), more: ['Idempotency-Key: two'] },
  { ...signed('the header with a key twice', BODY), more: ['Idempotency-Key: one', 'Idempotency-Key: one'] },
  { ...signed('a key that is empty in the header', BODY), more: ['Idempotency-Key: '] },
  { ...signed('bytes that are compressed', BODY.replace('{', '\u001f{')), more: ['Content-Encoding: gzip'] },
];

const rows = async (table: 'inbox' | 'ingress_events' | 'outbox'): Promise<number> =>
  (await ingress.harness.rows(`select 1 from ${table}`)).length;

describe.each([
  ['a stranger', STRANGERS],
  ['a malformed request', MALFORMED],
  ['an unreadable event', UNREADABLE],
])('a forged request: %s', (_, forgeries) => {
  test.each(forgeries)('$what is refused with $status, and has no effect', async (forgery) => {
    const { status, sentBytes } = await sendRaw(
      port,
      // What has no fault of the connection is answered on one that stays open unless it is asked to close.
      write({ ...forgery, more: [...(forgery.more ?? []), 'Connection: close'] }),
      { bytes: forgery.restBytes ?? 0 },
    );
    // A server that closes on a flood resets the connection, which may overtake the answer.
    expect(forgery.restBytes === undefined ? [forgery.status] : [forgery.status, null]).toContain(status);
    expect(sentBytes).toBeLessThan(SOCKET_BUFFERS_BYTES);
    expect([await rows('inbox'), await rows('ingress_events'), await rows('outbox')]).toEqual([0, 0, 0]);
  });
});

test('there are at least 80 forged requests, all different', () => {
  const all = [...STRANGERS, ...MALFORMED, ...UNREADABLE].map(({ what }) => what);
  expect(all.length).toBeGreaterThanOrEqual(80);
  expect(new Set(all).size).toBe(all.length);
});

test('the genuine request, from which the forged ones are made, is accepted', async () => {
  const { status } = await sendRaw(port, write({ more: ['Connection: close'] }));
  expect(status).toBe(200);
  expect(await rows('inbox')).toBe(1);
  // Its signature is right, and there is no such event.
  const { more = [], ...read } = reading('its own id', { signed: ID, more: ['Connection: close'] });
  expect((await sendRaw(port, write({ ...read, more }))).status).toBe(404);
});

test('a request whose body arrives slowly is cut off after ten seconds', async () => {
  const { status } = await sendRaw(port, write({ body: BODY, length: 'Content-Length: 5000' }));
  expect(status).toBe(408);
});

test('an unknown source and a wrong signature get the same response', async () => {
  const ask = (source: string, signature: string): Promise<Response> =>
    fetch(`${ingress.ci.url}/webhook/ingress`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-signalbox-source': source,
        'x-signalbox-timestamp': NOW,
        'x-signalbox-signature': signature,
      },
      body: BODY,
    });
  const answers = await Promise.all([ask('nobody', genuine()), ask('ci', `v1=${'0'.repeat(64)}`)]);
  const seen = await Promise.all(
    answers.map(async (answer) => {
      const headers = Object.fromEntries(answer.headers);
      return [answer.status, { ...headers, date: '' }, await answer.text()];
    }),
  );
  expect(seen[0]).toEqual(seen[1]);
  expect(seen[0]?.[0]).toBe(401);
  expect(seen[0]?.[2]).toBe('');
});
