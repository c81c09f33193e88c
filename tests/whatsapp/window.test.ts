import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { ADA, ADA_CHAT, openWhatsApp, type WhatsAppHarness } from './harness.ts';
import { TEMPLATE } from './variables.ts';

const DAY_MS = 24 * 3_600_000;

let harness: WhatsAppHarness;
beforeEach(async () => {
  harness = await openWhatsApp();
});
afterEach(() => harness.close());

const start = async (settings: Readonly<Record<string, string>> = {}) => {
  const gateway = await harness.startGateway(settings);
  await harness.people.subscribe(gateway.webhook);
  return gateway;
};
const hear = async (text: string): Promise<void> => {
  await harness.people.say(ADA, text);
  await until(async () => (await harness.inbox()).some((envelope) => envelope['text'] === text));
};
const isSent = async (id: string): Promise<boolean> => (await harness.row(id)).status === 'sent';
const isPending = async (id: string): Promise<boolean> => (await harness.row(id)).status === 'pending';
/** How many times a gateway has taken up the chat of Ada. */
const looks = async (): Promise<number> =>
  Number((await harness.pool.query('select epoch from chats where chat_key = $1', [ADA_CHAT])).rows[0]?.epoch ?? 0);
const templateName = TEMPLATE.split('/')[0];
/** Lets the last message of Ada be two days old, for every gateway that looks into the inbox. */
const age = () =>
  harness.pool.query(`update inbox set envelope = jsonb_set(envelope, '{at}', to_jsonb($1::text))`, [
    new Date(Date.now() - 2 * DAY_MS).toISOString(),
  ]);

describe('after 24 hours without a message of the person', () => {
  it('the template is sent once, and the message waits until the person writes', async () => {
    await start();
    await hear('hello');
    await harness.people.advanceClock(DAY_MS);
    const [first = '', second = ''] = await harness.say([{ text: 'It is deployed.' }, { text: 'And it is well.' }]);
    await until(async () => (await harness.seen()).length > 0);
    // Until it was looked at a second time, after ten seconds.
    await until(async () => (await looks()) >= 2, 30_000);
    await until(() => isPending(first));
    expect(await harness.seen()).toEqual([templateName]);
    await hear('what is it?');
    await until(async () => (await isSent(first)) && (await isSent(second)), 30_000);
    expect(await harness.seen()).toEqual([templateName, 'It is deployed.', 'And it is well.']);
    expect(await harness.people.problems()).toEqual([]);
  });

  it('only the template is sent when the inbox shows that 24 hours have passed', async () => {
    const before = await start();
    await hear('hello');
    await before.close();
    await age();
    await start();
    await harness.say([{ text: 'Later.' }]);
    await until(async () => (await harness.seen()).length > 0);
    expect((await harness.people.calls('send')).map(({ body }) => Object(body)['type'])).toEqual(['template']);
  });

  it('a template that Meta refuses is logged, and nothing reaches the person', async () => {
    await harness.people.settings({ templates: [] });
    const gateway = await start();
    await harness.say([{ text: 'To somebody who never wrote.' }]);
    await until(() => gateway.lines.some(({ message }) => message === 'the template was not sent'));
    expect(await harness.seen()).toEqual([]);
  });

  it('the message waits when no template is configured', async () => {
    const gateway = await start({ WHATSAPP_TEMPLATE: undefined as unknown as string });
    const [id = ''] = await harness.say([{ text: 'Later.' }]);
    await until(() => gateway.lines.some(({ message }) => String(message).includes('there is no template')));
    await until(() => isPending(id));
    expect(await harness.people.calls('send')).toEqual([]);
  });
});

describe('the start of the WhatsApp channel', () => {
  it('with a token that Meta refuses names a remedy, and messages are still received', async () => {
    const { gateway, webhook, lines } = await harness.startGateway({ WHATSAPP_ACCESS_TOKEN: 'another-token' });
    const ask = async (): Promise<string> => (await fetch(`http://127.0.0.1:${gateway.probe.port}/readyz`)).text();
    await until(async () => (await ask()).includes('WHATSAPP_ACCESS_TOKEN'));
    await until(() => lines.some(({ message }) => message === 'a channel is refused, the others go on'));
    await harness.people.subscribe(webhook);
    await harness.people.say(ADA, 'written meanwhile');
    await until(async () => (await harness.inbox()).some((one) => one['text'] === 'written meanwhile'));
  });

  it('without its settings is refused, and each missing setting is named', async () => {
    const none = { WHATSAPP_ACCESS_TOKEN: '', WHATSAPP_APP_SECRET: 'short', WHATSAPP_TEMPLATE: 'Hello' };
    await expect(harness.startGateway(none)).rejects.toThrow(
      /WHATSAPP_ACCESS_TOKEN[\s\S]*WHATSAPP_APP_SECRET[\s\S]*WHATSAPP_TEMPLATE/,
    );
    const open = { WHATSAPP_API_ROOT: 'http://example.org/v26.0' };
    await expect(harness.startGateway(open)).rejects.toThrow(/WHATSAPP_API_ROOT: has to begin with https/);
  });
});
