import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ADA, bot, client, send, text, useSimulator } from '../simulator.fixture.ts';
import { BOT_DEFAULTS } from '../server.ts';
import { PUBLIC_PAYLOADS } from './public-payloads.fixture.ts';

useSimulator();

/** Lists the changes of a webhook body. */
const valuesOf = (payload: string): readonly Record<string, unknown>[] => {
  // All webhooks have this shape, which the tests compare with public examples.
  const { entry } = JSON.parse(payload) as { entry: { changes: { value: Record<string, unknown> }[] }[] };
  return entry.flatMap(({ changes }) => changes.map(({ value }) => value));
};
const received = () => bot.received.flatMap((one) => valuesOf(one.text));
const bodies = () => JSON.stringify(received().map(({ messages }) => messages)).match(/"body":"(\w+)"/g);

/** Lists all paths of a value, without array indexes. */
function pathsOf(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`${path}:${typeof value}`];
  if (Array.isArray(value)) return value.flatMap((one) => pathsOf(one, `${path}[]`));
  return Object.entries(value).flatMap(([key, one]) => pathsOf(one, `${path}.${key}`));
}

describe('a webhook', () => {
  it('a webhook is signed with the app secret over its exact bytes', async () => {
    await client.say(ADA, 'Grüße 🙂');
    await expect.poll(() => bot.received.length).toBe(1);
    const [{ text: body, signature } = { text: '', signature: '' }] = bot.received;
    expect(signature).toBe(`sha256=${createHmac('sha256', BOT_DEFAULTS.appSecret).update(body).digest('hex')}`);
  });

  it('a webhook is sent again until the bot answers 200, and later webhooks wait', async () => {
    let refusals = 2;
    bot.answer = () => ((refusals -= 1) >= 0 ? 503 : 200);
    await client.settings({ retryMs: 1 });
    await client.say(ADA, 'one');
    await client.say(ADA, 'two');
    await expect.poll(bodies).toEqual(['"body":"one"', '"body":"one"', '"body":"one"', '"body":"two"']);
    expect(await client.pendingWebhooks()).toBe(0);
  });

  it('held webhooks can be sent in reverse order, repeatedly, and joined in one body', async () => {
    await client.hold();
    await client.say(ADA, 'one');
    await client.say(ADA, 'two');
    await client.flush({ isReversed: true, isTogether: true, copies: 2 });
    await expect.poll(() => bot.received.length).toBe(2);
    expect(valuesOf(bot.received[0]?.text ?? '')).toHaveLength(2);
    expect(bodies()).toEqual(['"body":"two"', '"body":"one"', '"body":"two"', '"body":"one"']);
  });

  it('an address that fails the verification challenge receives no webhooks', async () => {
    await expect(client.subscribe('http://127.0.0.1:9/webhook')).rejects.toThrow('answered the challenge with 0');
  });

  it('webhooks report a message as sent, delivered and read, but only as sent if the person blocked the bot', async () => {
    await client.say(ADA, 'hi');
    await send(text('one'));
    await client.read(ADA);
    await client.block(ADA);
    await send(text('two'));
    const statuses = () => received().flatMap((value) => JSON.stringify(value).match(/"status":"\w+"/g) ?? []);
    await expect
      .poll(statuses)
      .toEqual(['"status":"sent"', '"status":"delivered"', '"status":"read"', '"status":"sent"']);
    expect((await client.messages(ADA)).map((message) => message.text)).toEqual(['hi', 'one']);
  });

  it('a refused message is reported by a later webhook when the setting refuseBy is "status"', async () => {
    await client.settings({ refuseBy: 'status' });
    expect((await send(text('too late'))).status).toBe(200);
    await expect.poll(() => JSON.stringify(received())).toContain('"code":131047');
    expect(await client.messages(ADA)).toEqual([]);
  });
});

describe("a webhook has the fields of Meta's published example", () => {
  const shapes: readonly [keyof typeof PUBLIC_PAYLOADS, () => Promise<unknown>][] = [
    ['text', () => client.say(ADA, 'Body Text')],
    ['image', () => client.sendFile(ADA, { kind: 'image', bytes: Buffer.from('x'), mimeType: 'image/jpeg' })],
    ['voice', () => client.sendFile(ADA, { kind: 'voice', bytes: Buffer.from('x'), mimeType: 'audio/ogg' })],
    ['sticker', () => client.sendFile(ADA, { kind: 'sticker', bytes: Buffer.from('x'), mimeType: 'image/webp' })],
    [
      'document',
      () =>
        client.sendFile(ADA, {
          kind: 'document',
          bytes: Buffer.from('x'),
          mimeType: 'application/pdf',
          name: 'filename.pdf',
          caption: 'caption',
          forwarded: true,
        }),
    ],
    ['reply', async () => client.say(ADA, 'replied', { replyTo: await client.say(ADA, 'first') })],
    ['location', () => client.sendOther(ADA, { type: 'location', content: { latitude: 12.25, longitude: 43.9 } })],
    ['button', () => pressing('button', 'Yes')],
    ['list', () => pressing('list', 'Yes')],
    ['failed', () => client.settings({ refuseBy: 'status' }).then(() => send(text('late')))],
  ];

  it.each(shapes)('%s', async (name, act) => {
    await act();
    const wanted = pathsOf(PUBLIC_PAYLOADS[name]);
    await expect
      .poll(() => pathsOf(JSON.parse(bot.received.at(-1)?.text ?? '{}')).toSorted())
      .toEqual(wanted.toSorted());
  });

  async function pressing(type: 'button' | 'list', title: string): Promise<unknown> {
    await client.settings({ statuses: false });
    await client.say(ADA, 'hi');
    const action =
      type === 'button'
        ? { buttons: [{ type: 'reply', reply: { id: '7:0', title } }] }
        : { button: 'Open', sections: [{ rows: [{ id: '7:0', title, description: 'description' }] }] };
    await send({ type: 'interactive', interactive: { type, body: { text: 'Sure?' }, action } });
    return client.press(ADA, title);
  }
});
