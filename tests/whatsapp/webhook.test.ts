import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { BOT_DEFAULTS } from '@signalbox/whatsapp-simulator/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { ADA, openWhatsApp, type StartedGateway, type WhatsAppHarness } from './harness.ts';

let harness: WhatsAppHarness;
let gateways: readonly [StartedGateway, StartedGateway];

beforeAll(async () => {
  harness = await openWhatsApp();
  gateways = [await harness.startGateway(), await harness.startGateway()];
  await harness.people.settings({ retryMs: 10 });
  await harness.people.subscribe(...gateways.map(({ webhook }) => webhook));
});
afterAll(() => harness.close());

const messageOf = (id: string, text: string, from = ADA): string =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '1',
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '12025550100', phone_number_id: BOT_DEFAULTS.phoneNumberId },
              contacts: [{ profile: { name: 'Ada' }, wa_id: from }],
              messages: [
                { from, id, timestamp: `${Math.floor(Date.now() / 1_000)}`, type: 'text', text: { body: text } },
              ],
            },
          },
        ],
      },
    ],
  });
const signatureOf = (body: string, secret: string = BOT_DEFAULTS.appSecret): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const post = async (body: string, headers: Readonly<Record<string, string>>): Promise<number> =>
  (await fetch(gateways[0].webhook, { method: 'POST', body, headers })).status;
const texts = async (): Promise<readonly unknown[]> => (await harness.inbox()).map((envelope) => envelope['text']);
const JSON_TYPE = { 'content-type': 'application/json' };

describe('the verification challenge of Meta', () => {
  const ask = (query: Readonly<Record<string, string>>) =>
    fetch(`${gateways[0].webhook}?${new URLSearchParams(query).toString()}`);
  const right = {
    'hub.mode': 'subscribe',
    'hub.verify_token': BOT_DEFAULTS.verifyToken,
    'hub.challenge': '1158201444',
  };

  it('is returned as plain text when the token is right', async () => {
    const answer = await ask(right);
    expect([answer.status, await answer.text()]).toEqual([200, '1158201444']);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  });

  it.each([
    ['another token', { 'hub.verify_token': 'simulator-verifx' }],
    ['no token', { 'hub.verify_token': '' }],
    ['another mode', { 'hub.mode': 'unsubscribe' }],
    ['a challenge that is a page', { 'hub.challenge': '<script>alert(1)</script>' }],
    ['a challenge without end', { 'hub.challenge': 'x'.repeat(500) }],
  ])('with %s is refused', async (_, wrong) => {
    const answer = await ask({ ...right, ...wrong });
    expect([answer.status, await answer.text()]).toEqual([403, '']);
  });
});

describe('a webhook that Meta did not sign', () => {
  const body = messageOf('wamid.forged', 'drop all');
  it.each([
    ['has no signature', {}],
    ['has an empty signature', { 'x-hub-signature-256': '' }],
    ['has the old kind of signature', { 'x-hub-signature': 'sha1=0000' }],
    ['is signed with another secret', { 'x-hub-signature-256': signatureOf(body, 'another-secret-0') }],
    ['has the signature of another body', { 'x-hub-signature-256': signatureOf(messageOf('wamid.other', 'hi')) }],
    ['has a signature with more behind it', { 'x-hub-signature-256': `${signatureOf(body)}0` }],
    ['has a signature of the wrong kind', { 'x-hub-signature-256': signatureOf(body).replace('sha256', 'sha512') }],
  ])('is refused when it %s', async (_, headers) => {
    expect(await post(body, { ...JSON_TYPE, ...headers })).toBe(401);
    expect(await texts()).not.toContain('drop all');
  });

  it('is refused by its headers before its body is read', async () => {
    const { hostname, port } = new URL(gateways[0].webhook);
    const socket = connect(Number(port), hostname);
    const head = [
      'POST /webhook/whatsapp HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      'Content-Length: 1000',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('is refused when it is too large or its content type is not JSON', async () => {
    const large = messageOf('wamid.large', 'x'.repeat(3 * 1024 * 1024));
    expect(await post(large, { ...JSON_TYPE, 'x-hub-signature-256': signatureOf(large) })).toBe(413);
    expect(await post(body, { 'content-type': 'text/plain', 'x-hub-signature-256': signatureOf(body) })).toBe(415);
  });
});

describe('a webhook that Meta signed', () => {
  it('is admitted once, however often and at whichever gateway it arrives', async () => {
    const body = messageOf('wamid.replayed', 'only once');
    const answers = [];
    for (let time = 0; time < 6; time += 1) answers.push((await harness.people.postRaw(body)).status);
    expect(answers).toEqual([200, 200, 200, 200, 200, 200]);
    expect((await texts()).filter((text) => text === 'only once')).toHaveLength(1);
  });

  it('is verified by its raw bytes, whatever JSON escapes it contains', async () => {
    const body = messageOf('wamid.escaped', 'Gr\u00fc\u00dfe').replace('\u00fc', '\\u00fc');
    expect(await post(body, { ...JSON_TYPE, 'x-hub-signature-256': signatureOf(body) })).toBe(200);
    expect(await texts()).toContain('Gr\u00fc\u00dfe');
  });

  it("keeps the order of a person's messages, even when they arrive reversed and twice", async () => {
    await harness.people.hold();
    await harness.people.say(ADA, 'first');
    await harness.people.advanceClock(2_000);
    await harness.people.say(ADA, 'second');
    await harness.people.flush({ isReversed: true, isTogether: true, copies: 2 });
    await until(async () => (await texts()).includes('second'));
    expect((await texts()).filter((text) => text === 'first' || text === 'second')).toEqual(['first', 'second']);
  });

  it('that is not JSON is stored as a dead letter, and acknowledged so that Meta does not repeat it', async () => {
    const body = '{"object": ';
    expect((await harness.people.postRaw(body)).status).toBe(200);
    const { rows } = await harness.pool.query(`select reason from dead_letters where source = 'inbound'`);
    expect(rows).toEqual([{ reason: 'not JSON' }]);
  });

  it('for another number of the same app is acknowledged and ignored', async () => {
    const body = messageOf('wamid.elsewhere', 'not for us').replace(BOT_DEFAULTS.phoneNumberId, '999');
    expect((await harness.people.postRaw(body)).status).toBe(200);
    expect(await texts()).not.toContain('not for us');
  });

  it("with a file stores the file's id and type, and the file is fetched by them", async () => {
    const bytes = Buffer.from('name,amount\na,1\n');
    await harness.people.sendFile(ADA, {
      kind: 'document',
      bytes,
      mimeType: 'text/csv',
      name: 'list.csv',
      caption: 'Look',
    });
    const envelope = await until(async () => (await harness.inbox()).find((one) => one['text'] === 'Look'));
    expect(envelope['attachments']).toEqual([
      {
        kind: 'document',
        ref: expect.stringMatching(/^\d+$/),
        name: 'list.csv',
        mimeType: 'text/csv',
        sizeBytes: null,
      },
    ]);
  });
});
