import { createThrottle } from '@signalbox/gateway/delivery/throttle';
import { OUTBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { createDraftPublisher, toDraftId } from '@signalbox/platform/streams/drafts';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { describe, expect, test } from 'vitest';
import { until } from '../integration/gateway/harness.ts';
import {
  QUICK,
  log,
  harness,
  draftOf,
  write,
  drafts,
  texts,
  untilDrafted,
  seen,
  letIntervalPass,
  useHarness,
  openDrafts,
} from './draft-bench.ts';

/** The simulator's group. */
const GROUP = -2001;

useHarness();

test('a draft is updated in place, and has a Stop button', async () => {
  await harness.startGateway(QUICK);
  await harness.meet(1001);
  await write(1001, 'turn_1', 'The **first');
  await until('she reads it', async () => (await seen(1001)) === 'The first');
  await write(1001, 'turn_1', 'The **first** words');
  await until('it has grown', async () => (await seen(1001)) === 'The first words');
  const calls = await drafts();
  for (const call of calls)
    expect(call.params).toMatchObject({ draft_id: toDraftId('turn_1'), can_stop: true, keep_on_stop: true });
  expect(calls[0]?.params['entities']).toEqual([{ type: 'bold', offset: 4, length: 5 }]);
});

test('only the newest text of a draft is shown, at most once per interval', async () => {
  const intervalMs = 300;
  await harness.startGateway({ TELEGRAM_DRAFT_INTERVAL_MS: String(intervalMs) });
  await harness.meet(1001);
  const startedAt = performance.timeOrigin + performance.now();
  for (let n = 1; n <= 50; n += 1) await write(1001, 'turn_1', `${n} words`);
  await untilDrafted('50 words');
  const calls = await drafts();
  expect(calls.length).toBeLessThan(50);
  // From before the first: a call that was slow to arrive cannot make the pace look too quick.
  for (const [place, call] of calls.entries()) expect(call.at - startedAt).toBeGreaterThan(place * intervalMs - 1);
});

test('a sent message removes the draft, even while a draft request is in progress', async () => {
  await harness.startGateway(QUICK);
  await harness.meet(1001);
  await harness.fault({ method: 'sendMessageDraft', delayMs: 150 });
  await write(1001, 'turn_1', 'nearly all');
  await untilDrafted('nearly all');
  await write(1001, 'turn_1', null);
  await harness.say('telegram:1001', [{ text: 'all of it' }]);
  await until('she has the message', async () => (await harness.said(1001)).includes('all of it'));
  await until('the call is over', async () => (await drafts())[0]?.status === 200);
  expect(await seen(1001)).toBeNull();
});

test('a draft that waits for its interval is dropped when the message is complete', async () => {
  await harness.startGateway({ TELEGRAM_DRAFT_INTERVAL_MS: '500' });
  await harness.meet(1001, 1002);
  await write(1001, 'turn_1', 'one');
  await untilDrafted('one');
  await write(1001, 'turn_1', 'two');
  await write(1001, 'turn_1', null);
  await letIntervalPass();
  expect(texts(await drafts())).toEqual(['one']);
});

test('a late draft of the same turn or an older turn is not shown', async () => {
  await harness.startGateway(QUICK);
  await harness.meet(1001, 1002);
  const late = draftOf(1001, 'turn_2', 'late');
  await write(1001, 'turn_2', 'new');
  await untilDrafted('new');
  const publish = createDraftPublisher({ redis: harness.redis, prefix: harness.prefix, log });
  await publish(late);
  await letIntervalPass();
  await write(1001, 'turn_1', 'older');
  await letIntervalPass();
  await write(1001, 'turn_2', 'newest');
  await untilDrafted('newest');
  expect(texts(await drafts())).toEqual(['new', 'newest']);
});

test('a draft is shown again after a progress message in the middle of its turn', async () => {
  await harness.startGateway(QUICK);
  await harness.meet(1001);
  await write(1001, 'turn_1', 'still writing');
  await until('she reads it', async () => (await seen(1001)) === 'still writing');
  await harness.say('telegram:1001', [{ text: 'deploying: 10 %', slot: 's1', priority: 9 }]);
  await until('she has the message', async () => (await harness.said(1001)).includes('deploying: 10 %'));
  await until('she reads on', async () => (await seen(1001)) === 'still writing');
});

test('a draft with a table is sent as a rich message, or as text when the server supports none', async () => {
  await harness.startGateway(QUICK);
  await harness.meet(1001);
  const table = '| port | project |\n| --- | --- |\n| 8080 | shop |\n';
  await write(1001, 'turn_1', table);
  const [call] = await until('it is shown', async () => {
    const calls = await harness.calls('sendRichMessageDraft');
    return calls.length > 0 && calls;
  });
  expect(call?.params).toMatchObject({ rich_message: { blocks: [{ type: 'table' }] }, can_stop: true });
  await harness.fault({ method: 'sendRichMessageDraft', error: { code: 404, description: 'Not Found' } });
  await write(1001, 'turn_1', `${table}| 8081 |`);
  await until(
    'it is shown as text',
    async () => /8080/.test((await seen(1001)) ?? '') && (await drafts()).length === 1,
  );
});

test('a draft is sent as text when rich messages are turned off', async () => {
  await harness.startGateway({ ...QUICK, TELEGRAM_RICH_MESSAGES: 'off' });
  await harness.meet(1001);
  await write(1001, 'turn_1', '# A heading\n\nand text');
  await untilDrafted('A heading\n\nand text');
  expect(await harness.calls('sendRichMessageDraft')).toEqual([]);
});

test('a group is shown no drafts', async () => {
  await harness.startGateway(QUICK);
  await harness.meet(1001);
  await write(GROUP, 'turn_1', 'for the group');
  await write(1001, 'turn_2', 'for her');
  await untilDrafted('for her');
  expect((await harness.calls('sendMessageDraft')).map((call) => call.chatId)).toEqual([1001]);
});

test('a draft interval of 0 turns drafts off', async () => {
  await harness.startGateway({ TELEGRAM_DRAFT_INTERVAL_MS: '0' });
  await harness.meet(1001);
  await write(1001, 'turn_1', 'not shown');
  const before = (await harness.calls('sendChatAction')).length;
  await publishTyping(1001);
  await until('typing is shown', async () => (await harness.calls('sendChatAction')).length > before);
  expect(await drafts()).toEqual([]);
});

describe('when Telegram refuses a draft', () => {
  test('a 429 pauses the drafts of its chat alone', async () => {
    await harness.startGateway(QUICK);
    await harness.meet(1001, 1002);
    await harness.fault({ method: 'sendMessageDraft', error: { code: 429, retryAfter: 2 } });
    await write(1001, 'turn_1', 'too many');
    await until('it is refused', async () => (await drafts())[0]?.status === 429);
    const [refused] = await drafts();
    await write(1001, 'turn_1', 'too many of them');
    await write(1002, 'turn_2', 'at once');
    const other = await untilDrafted('at once', 1002);
    expect(other.at - (refused?.at ?? 0)).toBeLessThan(1_000);
    const next = await untilDrafted('too many of them');
    expect(next.at - (refused?.at ?? 0)).toBeGreaterThan(1_900);
  });

  test('a 429 in a second chat pauses all drafts for the requested time, and messages are still sent', async () => {
    await harness.startGateway(QUICK);
    await harness.meet(1001, 1002, 1005);
    for (const chat of [1005, 1001]) {
      await harness.fault({ method: 'sendMessageDraft', error: { code: 429, retryAfter: 2 } });
      await write(chat, `turn_1`, 'too many');
      await until('it is refused', async () => (await drafts(chat))[0]?.status === 429);
    }
    const refused = await untilDrafted('too many');
    await write(1002, 'turn_2', 'waits');
    await harness.say('telegram:1001', [{ text: 'a message' }]);
    await until('she has the message', async () => (await harness.said(1001)).includes('a message'));
    const next = await untilDrafted('waits', 1002);
    expect(next.at - refused.at).toBeGreaterThan(1_900);
    await write(1001, 'turn_3', 'again');
    await until('she reads again', async () => (await seen(1001)) === 'again');
  });

  test('a server that does not support drafts is asked once, and typing is shown instead', async () => {
    const started = await harness.startGateway(QUICK);
    await harness.meet(1001, 1002);
    await harness.fault({ method: 'sendMessageDraft', error: { code: 404, description: 'Not Found' } });
    await write(1001, 'turn_1', 'unknown');
    await until('it is told', async () =>
      started.lines.some((line) => /knows no drafts/.test(String(line['message']))),
    );
    for (const chat of [1001, 1002]) {
      await write(chat, 'turn_2', 'not tried');
      await publishTyping(chat);
    }
    await until('typing is shown', async () => (await harness.calls('sendChatAction')).length >= 2);
    expect((await harness.calls('sendMessageDraft')).length).toBe(1);
  });

  test('a chat whose draft was refused is shown no other draft in that turn', async () => {
    await harness.startGateway(QUICK);
    await harness.meet(1001);
    await harness.fault({ method: 'sendMessageDraft', error: { code: 400, description: 'TEXTDRAFT_PEER_INVALID' } });
    await write(1001, 'turn_1', 'refused');
    await until('it is refused', async () => (await drafts())[0]?.status === 400);
    await write(1001, 'turn_1', 'not tried');
    await publishTyping(1001);
    await until('typing is shown', async () => (await harness.calls('sendChatAction')).length > 0);
    await write(1001, 'turn_2', 'the next turn');
    await untilDrafted('the next turn');
    expect(texts(await drafts())).toEqual(['refused', 'the next turn']);
  });

  test('a draft whose entities are refused is sent without entities', async () => {
    await harness.startGateway(QUICK);
    await harness.meet(1001);
    const description = "Bad Request: can't parse entities";
    await harness.fault({ method: 'sendMessageDraft', error: { code: 400, description } });
    await write(1001, 'turn_1', '**bold**');
    await until('she reads it plain', async () => (await seen(1001)) === 'bold');
    expect((await drafts()).map((call) => call.params['entities'])).toEqual([expect.anything(), []]);
  });
});

test('typing is not shown in a chat that shows a draft', async () => {
  await harness.startGateway(QUICK);
  await harness.meet(1001, 1002);
  await write(1001, 'turn_1', 'I write');
  await untilDrafted('I write');
  const before = (await harness.calls('sendChatAction')).length;
  await publishTyping(1001);
  await publishTyping(1002);
  const [first] = await until('typing is shown', async () => {
    const calls = (await harness.calls('sendChatAction')).slice(before);
    return calls.length > 0 && calls;
  });
  expect(first?.chatId).toBe(1002);
});

test("a turn's first draft is sent while few sends are left, and its next waits for spare ones", async () => {
  await harness.startGateway(QUICK);
  await harness.meet(1001);
  let now = 0;
  let refused = 0;
  const pace = createThrottle(
    { sendsPerSecond: 10, chatSendsPerSecond: 10, chatBurst: 10, groupSendsPerMinute: 10 },
    () => now,
  );
  for (let n = 0; n < 6; n += 1) pace.tryTake('telegram:1002', 'private');
  const tryTakeSpare = (): boolean => {
    const taken = pace.tryTakeSpare();
    if (!taken) refused += 1;
    return taken;
  };
  const shown = openDrafts('gw_a', { ...pace, tryTakeSpare });
  shown.receive(draftOf(1001, 'turn_1', 'a preview'));
  await untilDrafted('a preview');
  shown.receive(draftOf(1001, 'turn_1', 'a preview that goes on'));
  await until('it was refused twice', async () => refused >= 2);
  expect(texts(await drafts())).toEqual(['a preview']);
  now += 1_000;
  await untilDrafted('a preview that goes on');
});

test('a draft is sent after the waiting messages of its chat', async () => {
  await harness.startGateway({ ...QUICK, TELEGRAM_CHAT_SENDS_PER_SECOND: '5', TELEGRAM_CHAT_BURST: '1' });
  await harness.meet(1001);
  const texts = Array.from({ length: 5 }, (_, n) => `message ${n}`);
  await harness.say(
    'telegram:1001',
    texts.map((text) => ({ text })),
  );
  await until('they go out', async () => (await harness.calls('sendMessage')).length > 0);
  await write(1001, 'turn_1', 'a preview');
  const draft = await untilDrafted('a preview');
  const calls = await harness.calls('sendMessage');
  expect(calls.map((call) => call.params['text'])).toEqual(texts);
  expect(draft.at).toBeGreaterThan(calls.at(-1)?.at ?? Number.POSITIVE_INFINITY);
});

async function publishTyping(chat: number): Promise<void> {
  const publisher = createPublisher({ redis: harness.redis, prefix: harness.prefix, partitions: 1 });
  await publisher.publish(OUTBOUND_TOPIC, [{ kind: 'typing', chatKey: `telegram:${chat}`, traceId: 'trc_test' }]);
}
