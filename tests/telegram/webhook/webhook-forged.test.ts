import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHarness, until, type Harness } from '../../integration/gateway/harness.ts';
import { bring, createUpdate, SECRET, sendRaw, startWebhookGateway, type WebhookGateway } from './webhook-caller.ts';

let harness: Harness;
let gateway: WebhookGateway;
beforeAll(async () => {
  harness = await openHarness();
  gateway = await startWebhookGateway(harness);
});
afterAll(() => harness.close());

const MEGABYTE = 1024 * 1024;
/** If this is ever parsed, it is a dead letter. */
const NO_JSON = '{"update_id": 1, "message": nonsense';

/** Sockets keep what a slow reader did not take yet; nothing beyond that can have been read by the gateway. */
const SOCKET_BUFFERS_BYTES = 16 * MEGABYTE;

interface Forgery {
  readonly what: string;
  readonly status: number;
  readonly result: string;
  readonly head: string;
  /** Bytes sent behind the head, as far as the server lets us. */
  readonly restBytes?: number;
}

const LINES = {
  line: 'POST /telegram/here HTTP/1.1',
  host: 'Host: bot.example.org',
  type: 'Content-Type: application/json',
  secret: `X-Telegram-Bot-Api-Secret-Token: ${SECRET}`,
  length: `Content-Length: ${NO_JSON.length}`,
};

/** A request whose lines are those of Telegram but for the ones that are given; an empty line is left out. */
function forge(lines: Partial<typeof LINES>, body = NO_JSON): string {
  const all = Object.values({ ...LINES, ...lines }).filter((line) => line !== '');
  return `${all.join('\r\n')}\r\n\r\n${body}`;
}

const secret = (value: string): string => `X-Telegram-Bot-Api-Secret-Token: ${value}`;
const wrongSecret = (what: string, line: string): Forgery => ({
  what,
  status: 401,
  result: 'bad-secret',
  head: forge({ secret: line }),
});

const FORGERIES: readonly Forgery[] = [
  wrongSecret('no secret', ''),
  wrongSecret('an empty secret', secret('')),
  wrongSecret('a wrong secret', secret('x'.repeat(SECRET.length))),
  wrongSecret('a letter too few', secret(SECRET.slice(0, -1))),
  wrongSecret('a letter too many', secret(`${SECRET}9`)),
  wrongSecret('other capitals', secret(SECRET.toUpperCase())),
  wrongSecret('the last letter changed', secret(`${SECRET.slice(0, -1)}8`)),
  wrongSecret('the right secret twice', `${secret(SECRET)}\r\n${secret(SECRET)}`),
  wrongSecret('a wrong secret before the right one', `${secret('wrong')}\r\n${secret(SECRET)}`),
  wrongSecret('a wrong secret behind the right one', `${secret(SECRET)}\r\n${secret('wrong')}`),
  wrongSecret('a long secret', secret(SECRET.repeat(100))),
  wrongSecret('the secret under another name', `X-Telegram-Secret: ${SECRET}`),
  wrongSecret('the secret as a bearer', `Authorization: Bearer ${SECRET}`),
  {
    ...wrongSecret('the secret in the address', ''),
    head: forge({ secret: '', line: `POST /telegram/here?${SECRET} HTTP/1.1` }),
  },
  { ...wrongSecret('no secret, wrong path', ''), head: forge({ secret: '', line: 'POST / HTTP/1.1' }) },
  { ...wrongSecret('no secret, wrong method', ''), head: forge({ secret: '', line: 'GET /telegram/here HTTP/1.1' }) },
  {
    ...wrongSecret('no secret, a body of 64 MB', ''),
    head: forge({ secret: '', length: `Content-Length: ${64 * MEGABYTE}` }, ''),
    restBytes: 64 * MEGABYTE,
  },
  {
    ...wrongSecret('no secret, endless chunks', ''),
    head: forge({ secret: '', length: 'Transfer-Encoding: chunked' }, 'fffffff\r\n'),
    restBytes: 64 * MEGABYTE,
  },
  { what: 'a secret of 20 kB', status: 400, result: 'malformed', head: forge({ secret: secret('y'.repeat(20_000)) }) },
  { what: 'another path', status: 404, result: 'bad-path', head: forge({ line: 'POST /telegram HTTP/1.1' }) },
  { what: 'a path below', status: 404, result: 'bad-path', head: forge({ line: 'POST /telegram/here/x HTTP/1.1' }) },
  { what: 'an unreadable path', status: 404, result: 'bad-path', head: forge({ line: 'POST /%zz HTTP/1.1' }) },
  { what: 'GET', status: 405, result: 'bad-method', head: forge({ line: 'GET /telegram/here HTTP/1.1' }) },
  { what: 'PUT', status: 405, result: 'bad-method', head: forge({ line: 'PUT /telegram/here HTTP/1.1' }) },
  {
    what: 'a form',
    status: 415,
    result: 'bad-type',
    head: forge({ type: 'Content-Type: application/x-www-form-urlencoded' }),
  },
  { what: 'plain text', status: 415, result: 'bad-type', head: forge({ type: 'Content-Type: text/plain' }) },
  { what: 'no type', status: 415, result: 'bad-type', head: forge({ type: '' }) },
  {
    what: 'a body of 64 MB',
    status: 413,
    result: 'too-large',
    head: forge({ length: `Content-Length: ${64 * MEGABYTE}` }, ''),
    restBytes: 64 * MEGABYTE,
  },
  {
    what: 'endless chunks',
    status: 413,
    result: 'too-large',
    head: forge({ length: 'Transfer-Encoding: chunked' }, 'fffffff\r\n'),
    restBytes: 64 * MEGABYTE,
  },
  {
    what: 'two lengths',
    status: 400,
    result: 'malformed',
    head: forge({ length: `Content-Length: 5\r\nContent-Length: 6` }),
  },
  {
    what: 'a length and chunks',
    status: 400,
    result: 'malformed',
    head: forge({ length: `Content-Length: 5\r\nTransfer-Encoding: chunked` }),
  },
  { what: 'no HTTP', status: 400, result: 'malformed', head: `\u0016\u0003\u0001 hello\r\n\r\n` },
];

/** Requests by result, as the gateway counted them. */
async function readCounts(): Promise<Readonly<Record<string, number>>> {
  const metrics = await (await fetch(`http://127.0.0.1:${gateway.gateway.probe.port}/metrics`)).text();
  const found = metrics.matchAll(/^signalbox_webhook_requests_total\{result="([^"]+)"[^}]*\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, result, count]) => [result, Number(count)]));
}

const rows = async (): Promise<number> => (await harness.rows('select 1 from inbox')).length;
const letters = async (): Promise<number> => (await harness.rows('select 1 from dead_letters')).length;

test.each(FORGERIES)('a request with $what is refused with $status before its body is read', async (forgery) => {
  const before = await readCounts();
  const { status, sentBytes } = await sendRaw(gateway.port, forgery.head, { bytes: forgery.restBytes ?? 0 });
  // A server that closes on a flood resets the connection, which may overtake the answer.
  expect(forgery.restBytes === undefined ? [forgery.status] : [forgery.status, null]).toContain(status);
  expect(sentBytes).toBeLessThan(SOCKET_BUFFERS_BYTES);
  const after = await readCounts();
  expect((after[forgery.result] ?? 0) - (before[forgery.result] ?? 0)).toBe(1);
  expect(await letters()).toBe(0);
});

test('the forged request with its mistake corrected reaches the parser', async () => {
  const { port } = gateway;
  // Closed by the server after its answer, because we ask for it.
  const closes = { host: 'Host: bot.example.org\r\nConnection: close' };
  expect((await sendRaw(port, forge(closes))).status).toBe(200);
  expect(await letters()).toBe(1);
  const chunks = { ...closes, length: 'Transfer-Encoding: chunked' };
  const body = `${NO_JSON.length.toString(16)}\r\n${NO_JSON}\r\n0\r\n\r\n`;
  expect((await sendRaw(port, forge(chunks, body))).status).toBe(200);
  await harness.rows('delete from dead_letters');
});

test('bytes after the announced length are not read as a second request', async () => {
  const smuggled = forge({ secret: '' });
  const update = JSON.stringify(createUpdate(5_000, 1005, 'before the smuggled one'));
  const length = `Content-Length: ${update.length}`;
  const before = await rows();
  expect((await sendRaw(gateway.port, forge({ length }, `${update}${smuggled}`))).status).toBe(200);
  // Refused as a request of its own, and the connection with it.
  expect(await rows()).toBe(before + 1);
});

test('a thousand forged requests store no row and delay no genuine update', async () => {
  const before = { counts: await readCounts(), rows: await rows() };
  const small = FORGERIES.filter((forgery) => forgery.restBytes === undefined);
  const forged = Array.from({ length: 1_000 }, (_, n) => small[n % small.length] as Forgery); // n is within the list
  const said = Array.from({ length: 40 }, (_, n) => `honest ${n}`);
  const answers: (number | null)[] = [];
  const attack = async (share: readonly Forgery[]): Promise<void> => {
    for (const { head } of share) answers.push((await sendRaw(gateway.port, head)).status);
  };
  const people = async (): Promise<void> => {
    for (const text of said) await harness.people.post('/api/messages', { from: 1001, text });
  };
  const shares = Array.from({ length: 20 }, (_, n) => forged.slice(n * 50, (n + 1) * 50));
  await Promise.all([...shares.map(attack), people()]);
  await until('the honest messages are admitted', async () => (await rows()) === before.rows + said.length, 30_000);
  // None: the connection was reset, which is a refusal too.
  expect(answers.filter((status) => status !== null && status < 400)).toEqual([]);
  expect(answers).toHaveLength(1_000);
  const texts = await harness.rows<{ text: string }>(
    `select envelope ->> 'text' as text from inbox where user_key = '1001' order by id`,
  );
  expect(texts.map((row) => row.text)).toEqual(said);
  expect(await letters()).toBe(0);
  const counts = await readCounts();
  const difference = (result: string): number => (counts[result] ?? 0) - (before.counts[result] ?? 0);
  const refused = ['bad-secret', 'bad-path', 'bad-method', 'bad-type', 'malformed'].map(difference);
  expect(refused.reduce((sum, count) => sum + count, 0)).toBe(1_000);
  expect(difference('admitted')).toBe(said.length);
  expect(difference('unreadable')).toBe(0);
});

test('the log summarizes refused requests, and never shows the secret', async () => {
  const told = gateway.lines.filter((line) => line['message'] === 'requests refused');
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThan(50);
  expect(JSON.stringify(gateway.lines)).not.toContain(SECRET);
});

test('a genuine update is accepted after the forged ones', async () => {
  expect((await bring(gateway.url, createUpdate(9_000, 1002, 'still here'))).status).toBe(200);
});
