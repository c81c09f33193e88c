import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHarness, until, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
  await harness.meet(1001);
});
afterEach(() => harness.close());

const OPS = { id: -2001, type: 'supergroup', title: 'ops' };
const AS_GROUP = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' };
const AS_CHANNEL = { id: 136_817_688, is_bot: true, first_name: 'Channel', username: 'Channel_Bot' };
const TO_GROUP = /^I cannot see who wrote that.*"Remain anonymous"/;

let next = 7_000;
async function post(fields: object, kind = 'message'): Promise<void> {
  next += 1;
  const date = Math.floor(Date.now() / 1_000);
  const update = { [kind]: { message_id: next, date, chat: OPS, from: AS_GROUP, sender_chat: OPS, ...fields } };
  await harness.people.post('/api/updates', { update });
}
/** Everything before was admitted: the bot answers a person of the group. */
async function heard(): Promise<readonly string[]> {
  const before = (await harness.said(1001)).length;
  await harness.people.post('/api/messages', { from: 1001, text: '/whoami' });
  await until('she is answered', async () => (await harness.said(1001)).length > before);
  return harness.said(1001, 'ops');
}

test('an anonymous admin who asks the bot is told once which setting to turn off', async () => {
  await post({ text: '/status@signalbox_bot' });
  await until('it is said', async () => (await harness.said(1001, 'ops')).length === 1);
  await post({ text: '@signalbox_bot deploy shop' });
  await post({ text: '@signalbox_bot deploy shop', edit_date: 1_800_000_000 }, 'edited_message');
  await post({ text: '/status' });
  expect(await heard()).toEqual([expect.stringMatching(TO_GROUP)]);
  expect(await harness.rows(`select 1 from inbox where chat_key = 'telegram:-2001'`)).toEqual([]);
});

test('a person who writes as a channel is told that the bot cannot see who they are', async () => {
  const channel = { id: -1_009_999, type: 'channel', title: 'news' };
  await post({ from: AS_CHANNEL, sender_chat: channel, text: '@signalbox_bot deploy shop' });
  await until('it is said', async () => (await harness.said(1001, 'ops')).length === 1);
  expect(await heard()).toEqual([expect.stringContaining('as a channel')]);
});

test('an anonymous message that does not ask the bot, and a post of the linked channel, are ignored', async () => {
  const channel = { id: -1_009_999, type: 'channel', title: 'news' };
  await post({ text: 'lunch?' });
  await post({ text: '/weather' });
  await post({ text: '/status@other_bot' });
  const from = { id: 777_000, is_bot: false, first_name: 'Telegram' };
  await post({ from, sender_chat: channel, is_automatic_forward: true, text: 'news for @signalbox_bot' });
  expect(await heard()).toEqual([]);
});
