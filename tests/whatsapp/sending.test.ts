import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { ADA, openWhatsApp, type StartedGateway, type WhatsAppHarness } from './harness.ts';

let harness: WhatsAppHarness;
let gateway: StartedGateway;

beforeAll(async () => {
  harness = await openWhatsApp();
  gateway = await harness.startGateway();
  await harness.people.subscribe(gateway.webhook);
  await harness.people.say(ADA, 'hello');
  await until(async () => (await harness.inbox()).length > 0);
});
beforeEach(() => harness.people.clearFaults());
afterAll(() => harness.close());

/** Resolves once a row is sent, or given up. */
const sentOf = (id: string): Promise<string> => until(() => settledOf(id));
const settledOf = async (id: string): Promise<string | null> => {
  const { status } = await harness.row(id);
  return ['sent', 'failed'].includes(status) ? status : null;
};
const lastSeen = async () => (await harness.people.messages(ADA)).filter(({ fromBot }) => fromBot).at(-1);

describe('a message', () => {
  it('is formatted in the markup of WhatsApp', async () => {
    const [id = ''] = await harness.say([{ text: '# Done\n\n**Bold** and `a*b*c`.\n\n```\nx **y**\n```' }]);
    await sentOf(id);
    expect((await lastSeen())?.text).toBe('*Done*\n\n*Bold* and `a*b*c`.\n\n```\nx **y**\n```');
    expect(await harness.people.problems()).toEqual([]);
  });

  it('that is too long for WhatsApp is sent in parts, completely and in order', async () => {
    const before = (await harness.seen()).length;
    const lines = Array.from({ length: 600 }, (_, index) => `Line ${index} of a long message.`);
    const [id = ''] = await harness.say([{ text: lines.join('\n\n') }]);
    await sentOf(id);
    const parts = (await harness.seen()).slice(before);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.join('\n\n').match(/Line \d+ /g)).toEqual(lines.map((line) => line.match(/Line \d+ /)?.[0]));
  });

  it("with three buttons shows them under its text, and a press sends the button's value", async () => {
    const buttons = ['Yes', 'No', 'Later'].map((label) => ({ label, value: `I say ${label}` }));
    const [id = ''] = await harness.say([{ text: 'Deploy?', buttons }]);
    await sentOf(id);
    expect((await lastSeen())?.buttons.map((button) => button.id)).toEqual([`${id}:0`, `${id}:1`, `${id}:2`]);
    await harness.people.press(ADA, 'Later');
    await until(async () => (await harness.inbox()).some((one) => one['text'] === 'I say Later'));
  });

  it('with more than three buttons shows lists of ten, and a press in any list works', async () => {
    const buttons = Array.from({ length: 12 }, (_, index) => ({
      label: `Server number ${index}`,
      value: `use ${index}`,
    }));
    const before = (await harness.seen()).length;
    const [id = ''] = await harness.say([{ text: 'Which?', buttons }]);
    await sentOf(id);
    expect((await harness.seen()).slice(before)).toHaveLength(2);
    await harness.people.press(ADA, `${id}:11`);
    await until(async () => (await harness.inbox()).some((one) => one['text'] === 'use 11'));
    expect(await harness.people.problems()).toEqual([]);
  });

  it('whose answer was lost is sent again under a line that says so', async () => {
    await harness.people.fault({ what: 'send', dropConnection: 'after' });
    const [id = ''] = await harness.say([{ text: 'Once or twice.' }]);
    await until(async () => (await harness.row(id)).status === 'sent');
    const shown = (await harness.seen()).filter((text) => text.includes('Once or twice.'));
    expect(shown).toEqual(['Once or twice.', expect.stringMatching(/^\(.*\)\nOnce or twice\.$/)]);
  });

  it('that Meta refuses for good is marked as failed, and the next message is sent', async () => {
    await harness.people.fault({ what: 'send', code: 131026 });
    const [first = '', second = ''] = await harness.say([{ text: 'Lost.' }, { text: 'Found.' }]);
    await until(async () => (await harness.row(second)).status === 'sent');
    expect((await harness.row(first)).status).toBe('failed');
  });

  it('that Meta accepted and then could not deliver is logged', async () => {
    await harness.people.settings({ refuseBy: 'status' });
    await harness.people.postRaw(
      JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [
          {
            changes: [
              {
                field: 'messages',
                value: {
                  metadata: { phone_number_id: '106540352242922' },
                  statuses: [{ id: 'wamid.lost', status: 'failed', recipient_id: ADA, errors: [{ code: 131026 }] }],
                },
              },
            ],
          },
        ],
      }),
    );
    await until(() => gateway.lines.some(({ message }) => message === 'WhatsApp did not deliver a message'));
  });
});

describe('progress that other channels show in one message', () => {
  it('is sent with its first step only, because WhatsApp cannot edit messages', async () => {
    const before = (await harness.seen()).length;
    const slot = 'run_1/deploy';
    for (const text of ['Step 1', 'Step 2', 'Step 3']) {
      const [id = ''] = await harness.say([{ text, progress: 'underway' }], slot);
      await until(async () => (await harness.row(id)).status === 'sent');
    }
    const [end = ''] = await harness.say([{ text: 'The end', progress: 'over', onlyChanges: true }], slot);
    await until(async () => (await harness.row(end)).status === 'sent');
    expect((await harness.seen()).slice(before)).toEqual(['Step 1']);
  });
});

describe('a token that Meta revokes', () => {
  it('keeps messages waiting until the token is replaced, and the gateway is not ready until then', async () => {
    const readiness = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${gateway.gateway.probe.port}/readyz`)).text();
    await harness.people.fault({ what: 'send', code: 190 });
    const [id = ''] = await harness.say([{ text: 'After the token.' }]);
    await until(async () => (await readiness()).includes('WHATSAPP_ACCESS_TOKEN'));
    expect((await harness.row(id)).status).not.toBe('failed');
    await until(async () => (await harness.row(id)).status === 'sent', 50_000);
    await until(async () => (await readiness()) === 'ready\n', 30_000); // the next look at the token finds it mended
  });
});

// Last, because a chat that had to wait is written to slowly from then on.
describe('a message that Meta refuses temporarily', () => {
  it('is sent later, and only once', async () => {
    await harness.people.fault({ what: 'send', code: 131000 });
    await harness.people.fault({ what: 'send', html: '<h1>Bad gateway</h1>', status: 502 });
    await harness.people.fault({ what: 'send', code: 130429 });
    const [id = ''] = await harness.say([{ text: 'Patience.' }]);
    await until(async () => (await harness.row(id)).status === 'sent', 30_000);
    expect((await harness.seen()).filter((text) => text === 'Patience.')).toHaveLength(1);
  });
});
