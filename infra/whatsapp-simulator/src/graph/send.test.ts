import { describe, expect, it } from 'vitest';
import { ADA, callGraph, client, send, text, useSimulator } from '../simulator.fixture.ts';
import { BOT_DEFAULTS } from '../server.ts';

useSimulator();

const buttons = (titles: readonly string[]) => ({
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: 'Choose' },
    action: { buttons: titles.map((title, index) => ({ type: 'reply', reply: { id: `${index}`, title } })) },
  },
});
const list = (rows: readonly object[], button = 'Open') => ({
  type: 'interactive',
  interactive: { type: 'list', body: { text: 'Choose' }, action: { button, sections: [{ rows }] } },
});
const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `${index}`, title: `Row ${index}` }));
const codeOf = ({ body }: { readonly body: Record<string, unknown> }): unknown => Object(body['error'])['code'];

describe('a message of the bot', () => {
  it('a sent message is shown to the person and has its own id', async () => {
    await client.say(ADA, 'hi');
    const { status, body } = await send(text('Hello *Ada*'));
    expect(status).toBe(200);
    const [, shown] = await client.messages(ADA);
    expect(shown).toMatchObject({ fromBot: true, text: 'Hello *Ada*', status: 'delivered' });
    expect(body['messages']).toEqual([{ id: shown?.id }]);
  });

  it.each([
    ['a text of 4,097 characters', text('x'.repeat(4_097))],
    ['four buttons', buttons(['a', 'b', 'c', 'd'])],
    ['a title of 21 characters', buttons(['x'.repeat(21)])],
    ['two buttons of one title', buttons(['a', 'a'])],
    ['eleven rows', list(rows(11))],
    ['a row of 25 characters', list([{ id: '1', title: 'x'.repeat(25) }])],
    ['a description of 73 characters', list([{ id: '1', title: 'a', description: 'x'.repeat(73) }])],
    ['a button of 21 characters that opens a list', list(rows(1), 'x'.repeat(21))],
    ['an unknown field', { ...text('a'), colour: 'red' }],
  ])('a message with %s is refused with code 100 and listed as a problem', async (_, content) => {
    await client.say(ADA, 'hi');
    const answer = await send(content);
    expect([answer.status, codeOf(answer)]).toEqual([400, 100]);
    expect(await client.problems()).toHaveLength(1);
    expect(await client.messages(ADA)).toHaveLength(1);
  });

  it('a message with three buttons or ten rows is accepted', async () => {
    await client.say(ADA, 'hi');
    expect((await send(buttons(['a', 'b', 'c']))).status).toBe(200);
    expect((await send(list(rows(10)))).status).toBe(200);
    expect(await client.problems()).toEqual([]);
  });

  it('a call with a wrong token gets error 190, and with an unknown number or version error 100', async () => {
    const path = `${BOT_DEFAULTS.phoneNumberId}/messages`;
    expect(codeOf(await callGraph(path, {}, 'wrong'))).toBe(190);
    expect(codeOf(await callGraph('1/messages', {}))).toBe(100);
    expect(codeOf(await callGraph(`../v1.0/${path}`, {}))).toBe(100);
  });
});

it('a call with the token can read the phone number of the bot', async () => {
  const { body } = await callGraph(BOT_DEFAULTS.phoneNumberId);
  expect(body).toMatchObject({ id: BOT_DEFAULTS.phoneNumberId, display_phone_number: '12025550100' });
});

describe('the window of 24 hours', () => {
  it('the window opens with a message of the person and closes a day later', async () => {
    expect(codeOf(await send(text('hi')))).toBe(131047);
    await client.say(ADA, 'hi');
    expect((await send(text('hi'))).status).toBe(200);
    await client.advanceClock(24 * 3_600_000);
    expect(codeOf(await send(text('hi')))).toBe(131047);
  });

  it('an approved template is accepted outside the window, and any other template is refused', async () => {
    const template = { type: 'template', template: { name: 'hello', language: { code: 'en_US' } } };
    expect((await send(template)).status).toBe(200);
    await client.settings({ templates: ['other/en'] });
    expect(codeOf(await send(template))).toBe(132001);
  });
});

describe('an injected fault', () => {
  it('refuses the given number of messages to the given person', async () => {
    await client.say(ADA, 'hi');
    await client.fault({ what: 'send', to: ADA, code: 131056, times: 2, skip: 1 });
    const codes = [];
    for (let call = 0; call < 4; call += 1) codes.push(codeOf(await send(text('hi'))));
    expect(codes).toEqual([undefined, 131056, 131056, undefined]);
  });

  it('drops the connection before or after the message is delivered', async () => {
    await client.say(ADA, 'hi');
    await client.fault({ what: 'send', dropConnection: 'before' });
    await expect(send(text('one'))).rejects.toThrow('fetch failed');
    await client.fault({ what: 'send', dropConnection: 'after' });
    await expect(send(text('two'))).rejects.toThrow('fetch failed');
    expect((await client.messages(ADA)).map((message) => message.text)).toEqual(['hi', 'two']);
  });
});
