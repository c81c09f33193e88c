import type { Update } from 'grammy/types';
import { expect, test } from 'vitest';
import { api, client, useSimulator } from '../simulator.fixture.ts';

useSimulator();

async function say(text: string): Promise<number> {
  const { updateId } = await client.post('/api/messages', { from: 1001, text });
  if (updateId === null) throw new Error('The bot does not see this message.');
  return updateId;
}

function collectTexts(updates: readonly Update[]): (string | undefined)[] {
  return updates.map((update) => update.message?.text);
}

test('a long poll returns as soon as a person writes', async () => {
  const poll = api.getUpdates({ timeout: 50 });
  await client.findCall((call) => call.method === 'getUpdates');
  await say('hello');
  expect(collectTexts(await poll)).toEqual(['hello']);
});

test('getUpdates returns an update again until a larger offset confirms it', async () => {
  const id = await say('once');
  expect(collectTexts(await api.getUpdates())).toEqual(['once']);
  expect(collectTexts(await api.getUpdates({ offset: id }))).toEqual(['once']);
  expect(await api.getUpdates({ offset: id + 1 })).toEqual([]);
  expect(await client.get('/api/pending')).toBe(0);
});

test('getUpdates with offset -2 drops all but the last two updates', async () => {
  for (const text of ['one', 'two', 'three']) await say(text);
  expect(collectTexts(await api.getUpdates({ offset: -2 }))).toEqual(['two', 'three']);
  expect(await client.get('/api/pending')).toBe(2);
});

test('getUpdates with an offset far above the last id confirms no update', async () => {
  const id = await say('still here');
  expect(collectTexts(await api.getUpdates({ offset: id + 1_000 }))).toEqual(['still here']);
});

test('getUpdates returns at most as many updates as its limit', async () => {
  for (const text of ['one', 'two', 'three']) await say(text);
  expect(collectTexts(await api.getUpdates({ limit: 2 }))).toEqual(['one', 'two']);
});

test('an update of a kind that allowed_updates excludes is not queued', async () => {
  await api.getUpdates({ allowed_updates: ['callback_query'] });
  expect(await client.post('/api/messages', { from: 1001, text: 'lost' })).toMatchObject({ updateId: null });
  await api.getUpdates({ allowed_updates: [] });
  await say('seen');
  expect(collectTexts(await api.getUpdates())).toEqual(['seen']);
});

test('a second long poll ends the first with error 409', async () => {
  const first = api.getUpdates({ timeout: 50 }).catch((error: unknown) => error);
  await client.findCall((call) => call.method === 'getUpdates');
  const second = api.getUpdates({ timeout: 50 });
  expect(await first).toMatchObject({
    error_code: 409,
    description: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  });
  await say('for the second');
  expect(collectTexts(await second)).toEqual(['for the second']);
});

test('an update is not lost to a long poll whose client has disconnected', async () => {
  const controller = new AbortController();
  // grammY declares its own signal type; at run time it is the same class.
  const signal = controller.signal as Parameters<typeof api.getUpdates>[1];
  const lost = api.getUpdates({ timeout: 50 }, signal).catch(() => 'hung up');
  await client.findCall((call) => call.method === 'getUpdates');
  controller.abort();
  expect(await lost).toBe('hung up');
  await say('kept');
  expect(collectTexts(await api.getUpdates())).toEqual(['kept']);
});

test('deleteWebhook can drop the pending updates', async () => {
  await say('dropped');
  await api.deleteWebhook({ drop_pending_updates: true });
  expect(await api.getWebhookInfo()).toMatchObject({ url: '', pending_update_count: 0 });
});

test('raw updates are delivered unchanged, even with a duplicate or invalid id', async () => {
  const id = await say('real');
  await api.getUpdates({ offset: id + 1 });
  await client.post('/api/updates', { update: { update_id: id, message: { text: 'again' } } });
  await client.post('/api/updates', { update: { update_id: 'nonsense', unheard_of: { deep: [1] } } });
  const expected = [
    { update_id: id, message: { text: 'again' } },
    { update_id: 'nonsense', unheard_of: { deep: [1] } },
  ];
  expect(await api.getUpdates({ offset: id + 1 })).toEqual(expected);
  expect(await api.getUpdates({ offset: id + 1 })).toEqual([]);
});

test('updates after a raw update with a much larger id are still delivered', async () => {
  const id = await say('first');
  await client.post('/api/updates', { update: { update_id: id + 50, message: { text: 'ahead' } } });
  await api.getUpdates({ offset: id + 51 });
  await say('after');
  expect(collectTexts(await api.getUpdates({ offset: id + 51 }))).toContain('after');
});
