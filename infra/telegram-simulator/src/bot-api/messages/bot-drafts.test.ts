import { expect, test } from 'vitest';
import type { Draft } from '../../store/draft.ts';
import { api, client, useSimulator } from '../../simulator.fixture.ts';

useSimulator({ greeted: true });

const findDraft = async (): Promise<Draft | null> =>
  (await client.get<{ draft: Draft | null }>('/api/chats/1001/messages?as=1001')).draft;
const stopped = async (): Promise<unknown[]> =>
  (await api.getUpdates()).flatMap((update) => update.stopped_message_generation ?? []);

test('a draft is shown, replaced by its next version, and removed when the message is sent', async () => {
  await api.sendMessageDraft(1001, 7, 'On');
  await api.sendMessageDraft(1001, 7, 'On my way');
  expect(await findDraft()).toMatchObject({ draftId: 7, text: 'On my way', rich: null, canStop: false });
  await api.sendMessage(1001, 'On my way.');
  expect(await findDraft()).toBeNull();
  expect((await client.messages(1001)).map((message) => message.text)).toEqual(['/start', 'On my way.']);
});

test('the event stream reports when a draft appears and when it is removed', async () => {
  await api.sendMessageDraft(1001, 7, 'One moment');
  await api.sendMessage(1001, 'done');
  const since = { after: 0, as: 1001 };
  expect(await client.nextEvent((event) => event.kind === 'draft', since)).toMatchObject({
    chatId: 1001,
    draft: { text: 'One moment' },
  });
  expect(await client.nextEvent((event) => event.kind === 'draftEnd', since)).toMatchObject({
    chatId: 1001,
    draftId: 7,
    reason: 'sent',
  });
});

test('a rich draft may contain a block that says what the bot thinks about', async () => {
  const blocks = [
    { type: 'thinking' as const, text: 'Looking at the logs' },
    { type: 'paragraph' as const, text: 'so far' },
  ];
  await api.sendRichMessageDraft(1001, 7, { blocks });
  expect(await findDraft()).toMatchObject({ rich: { blocks } });
});

test('an empty draft is accepted and is shown without text', async () => {
  await api.sendMessageDraft(1001, 7, '');
  expect(await findDraft()).toMatchObject({ draftId: 7, text: '' });
});

test('a draft is removed when its lifetime is over', async () => {
  await client.post('/api/settings', { draftLifeMs: 0 });
  await api.sendMessageDraft(1001, 7, 'old');
  expect(await findDraft()).toBeNull();
});

test('a draft that a person stops is removed for good, and the bot is notified once', async () => {
  await api.sendMessageDraft(1001, 7, 'Working', { can_stop: true });
  expect(await client.post('/api/drafts/stop', { from: 1001 })).toMatchObject({ ok: true, draftId: 7 });
  expect(await findDraft()).toBeNull();
  await api.sendMessageDraft(1001, 7, 'Working on', { can_stop: true });
  expect(await findDraft()).toBeNull();
  expect(await client.post('/api/drafts/stop', { from: 1001 })).toMatchObject({ ok: false });
  expect(await stopped()).toMatchObject([{ chat: { id: 1001, type: 'private' }, draft_id: 7 }]);
  await api.sendMessageDraft(1001, 8, 'Something else');
  expect(await findDraft()).toMatchObject({ draftId: 8 });
});

test('a stopped draft stays without its Stop button if the bot set keep_on_stop', async () => {
  await api.sendMessageDraft(1001, 7, 'Half an answer', { can_stop: true, keep_on_stop: true });
  await client.post('/api/drafts/stop', { from: 1001 });
  expect(await findDraft()).toMatchObject({ text: 'Half an answer', canStop: false });
});

test('stopping a draft is refused when the bot did not set can_stop', async () => {
  await api.sendMessageDraft(1001, 7, 'Working');
  expect(await client.post('/api/drafts/stop', { from: 1001 })).toEqual({
    ok: false,
    error: 'Nothing that Ada could stop is being written.',
  });
  expect(await stopped()).toEqual([]);
});

test('a draft that is in a group, has no id, or is longer than a message is refused', async () => {
  const refusal = (reason: string): object => ({ error_code: 400, description: `Bad Request: ${reason}` });
  await expect(api.sendMessageDraft(-2001, 7, 'x')).rejects.toMatchObject(refusal('TEXTDRAFT_PEER_INVALID'));
  await expect(api.sendMessageDraft(1001, 0, 'x')).rejects.toMatchObject(refusal('draft_id must be non-zero'));
  await expect(api.sendMessageDraft(1001, 7, 'x'.repeat(4_097))).rejects.toMatchObject(refusal('message is too long'));
  await expect(api.sendMessageDraft(1002, 7, 'x')).rejects.toMatchObject({ error_code: 403 });
});
