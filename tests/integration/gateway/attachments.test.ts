import { claimLane, type ClaimedLane } from '@signalbox/store/turns/lanes';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { INBOUND_TOPIC, openHarness, PEOPLE, until, type Harness } from './harness.ts';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
  await harness.startGateway();
});
afterEach(() => harness.close());

interface Row {
  readonly text: string;
  readonly files: number;
  readonly outcome: string | null;
  readonly reason: string | null;
}
const inbox = (): Promise<readonly Row[]> =>
  harness.rows(
    `select envelope ->> 'text' as text, coalesce(jsonb_array_length(envelope -> 'attachments'), 0) as files, outcome, reason
       from inbox order by id`,
  );
const untilRows = (count: number): Promise<readonly Row[]> =>
  until(`the inbox has ${count} rows`, async () => {
    const rows = await inbox();
    return rows.length >= count && rows;
  });
const DATA = Buffer.from('hello').toString('base64');
const send = (body: object): Promise<unknown> => harness.people.post('/api/messages', { from: 1001, ...body });
const OPTIONS = { worker: 'w1', leaseMs: 60_000, maxMessages: 10, idleMs: 60_000, agent: 'product_owner' };
const begin = (): Promise<ClaimedLane | null> => claimLane(harness.pool, PEOPLE.admin, OPTIONS);
const wakeUps = async (): Promise<number> => (await harness.entries(INBOUND_TOPIC)).length;

/** A part of an album as Telegram brings it: an update of its own. */
const part = (updateId: number, fields: object = {}): Promise<unknown> =>
  harness.people.post('/api/updates', {
    update: {
      update_id: updateId,
      message: {
        message_id: updateId,
        date: 1_700_000_000,
        chat: { id: 1001, type: 'private' },
        from: { id: 1001, is_bot: false, first_name: 'Ada' },
        document: { file_id: `f${updateId}`, file_name: `${updateId}.txt`, file_size: 5 },
        media_group_id: 'g1',
        ...fields,
      },
    },
  });

const edited = (messageId: number, caption: string): Promise<unknown> =>
  harness.people.post('/api/updates', {
    update: {
      edited_message: {
        message_id: messageId,
        date: 1_700_000_000,
        chat: { id: 1001, type: 'private' },
        from: { id: 1001, is_bot: false, first_name: 'Ada' },
        document: { file_id: `f${messageId}` },
        media_group_id: 'g1',
        caption,
      },
    },
  });

test('a file is stored as a reference with its caption, and is not downloaded', async () => {
  await send({ text: 'what is in it?', files: [{ name: 'report.pdf', type: 'application/pdf', data: DATA }] });
  const [row] = await untilRows(1);
  expect(row).toEqual({ text: 'what is in it?', files: 1, outcome: null, reason: null });
  const [stored] = await harness.rows<{ attachment: object }>(
    `select envelope -> 'attachments' -> 0 as attachment from inbox`,
  );
  expect(stored?.attachment).toEqual({
    kind: 'document',
    ref: expect.any(String),
    name: 'report.pdf',
    mimeType: 'application/pdf',
    sizeBytes: 5,
  });
  expect(await harness.calls('getFile')).toEqual([]);
});

test('a file that is too large is refused in one sentence', async () => {
  await send({ text: 'look', files: [{ name: 'disk.iso', sizeBytes: 30_000_000 }] });
  const [row] = await untilRows(1);
  expect(row).toMatchObject({ outcome: 'refused', reason: 'too large' });
  await until('she is told', async () => (await harness.said(1001)).length === 1);
  expect(await harness.said(1001)).toEqual([
    'disk.iso has 30 MB; from here I can take files of up to 21 MB. Please send a smaller one, or write what you need in words.',
  ]);
});

test('a sticker is answered with a line that the bot cannot read it', async () => {
  await send({ text: 'hi' });
  await part(50, { document: undefined, media_group_id: undefined, sticker: {} });
  await until('she is told', async () => (await harness.said(1001)).length === 1);
  expect(await harness.said(1001)).toEqual(['I cannot read a sticker yet. Please write what you need in words.']);
});

describe('an album', () => {
  const FILES = [1, 2, 3].map((n) => ({ name: `${n}.txt`, data: DATA }));

  test('is one message, and its lane is woken when all parts have arrived', async () => {
    await send({ text: 'compare these', files: FILES });
    const rows = await untilRows(3);
    expect(rows).toEqual([
      { text: 'compare these', files: 3, outcome: null, reason: null },
      { text: '', files: 1, outcome: 'merged', reason: 'album' },
      { text: '', files: 1, outcome: 'merged', reason: 'album' },
    ]);
    await until('the lane is woken', async () => (await wakeUps()) > 0);
    const begun = await begin();
    expect(begun?.messages).toHaveLength(1);
    expect(begun?.messages[0]?.envelope).toMatchObject({
      text: 'compare these',
      attachments: [{ name: '1.txt' }, { name: '2.txt' }, { name: '3.txt' }],
    });
  });

  test('delays the lane, and the messages after it, until all its parts have arrived', async () => {
    await part(60);
    await send({ text: 'what are these?' });
    await untilRows(2);
    await harness.rows(`update inbox set held_until = now() + interval '1 minute' where held_until is not null`);
    expect(await begin()).toBeNull();
    await part(61);
    expect(await untilRows(3)).toMatchObject([{ files: 2 }, { text: 'what are these?' }, { reason: 'album' }]);
    await harness.rows(`update inbox set held_until = now() where held_until is not null`);
    expect((await begin())?.messages).toHaveLength(2);
  });

  test('uses the caption of whichever part has one', async () => {
    await part(70);
    await part(71, { caption: 'compare these' });
    await untilRows(2);
    const [stored] = await harness.rows(
      `select envelope ->> 'text' as text, envelope ->> 'messageId' as "messageId" from inbox where outcome is null`,
    );
    expect(stored).toEqual({ text: 'compare these', messageId: '71' });
    await edited(71, 'sort these');
    expect((await untilRows(3))[0]?.text).toBe('sort these');
    await edited(70, 'and this one?');
    expect((await untilRows(4))[0]?.text).toBe('sort these');
    const [line] = await harness.rows<{ text: string }>(
      `select body ->> 'text' as text from outbox where key = 'edited:telegram:1001:70'`,
    );
    expect(line?.text).toMatch(/^Your original message is still waiting/);
  });

  test('keeps a part that arrives after a turn has taken the other parts', async () => {
    await part(80, { caption: 'compare these' });
    await untilRows(1);
    await harness.rows(`update inbox set held_until = now() where held_until is not null`);
    expect((await begin())?.messages).toHaveLength(1);
    await part(81);
    await part(82);
    expect(await untilRows(3)).toEqual([
      { text: 'compare these', files: 1, outcome: null, reason: null },
      { text: '', files: 2, outcome: null, reason: null },
      { text: '', files: 1, outcome: 'merged', reason: 'album' },
    ]);
  });

  test('becomes two messages when a part arrives while a turn takes the other parts', async () => {
    await part(83, { caption: 'compare these' });
    await untilRows(1);
    await harness.rows(`update inbox set held_until = now() where held_until is not null`);
    const client = await harness.pool.connect();
    try {
      await client.query('begin');
      const begun = await claimLane(client, PEOPLE.admin, OPTIONS);
      await part(84);
      await until('the gateway waits for the lane', async () => {
        const waiting = await harness.rows(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return waiting.length > 0;
      });
      await client.query('commit');
      expect(begun?.messages).toHaveLength(1);
    } finally {
      client.release();
    }
    expect(await untilRows(2)).toMatchObject([
      { text: 'compare these', files: 1, outcome: null },
      { text: '', files: 1, outcome: null },
    ]);
  });

  test('stores each part once, even when it comes twice', async () => {
    for (const updateId of [90, 91, 90, 91, 91]) await part(updateId);
    await send({ text: 'end' });
    expect((await untilRows(3)).map((row) => row.files)).toEqual([2, 1, 0]);
  });

  test('counts as one message for the rate limit', async () => {
    const hasty = await openHarness();
    try {
      await hasty.startGateway({ INBOUND_BURST: '3' });
      await until('a window has just begun', async () => Date.now() % 10_000 < 6_000);
      await hasty.people.post('/api/messages', {
        from: 1001,
        text: 'ten',
        files: Array.from({ length: 10 }, (_, n) => ({ name: `${n}`, data: DATA })),
      });
      const merged = await until('all parts are in', async () => {
        const rows = await hasty.rows<{ reason: string | null }>('select reason from inbox');
        return rows.length === 10 && rows;
      });
      expect(merged.filter((row) => row.reason === 'too fast')).toEqual([]);
    } finally {
      await hasty.close();
    }
  });
});

describe('in a group where the bot receives every message', () => {
  beforeEach(async () => {
    await harness.people.post('/api/rights', { by: 1001, status: 'administrator' });
  });

  test('an album is stored only when its caption mentions the bot', async () => {
    const files = [1, 2].map((n) => ({ name: `${n}.txt`, data: DATA }));
    await send({ chat: 'ops', text: 'holiday pictures', files });
    await send({ chat: 'ops', text: '@signalbox_bot compare these', files });
    const rows = await untilRows(2);
    expect(rows).toEqual([
      { text: 'compare these', files: 2, outcome: null, reason: null },
      { text: '', files: 1, outcome: 'merged', reason: 'album' },
    ]);
  });

  test('a photo without a caption is stored when it replies to the bot', async () => {
    await harness.say('telegram:-2001', [{ text: 'show me' }]);
    const asked = await until('it is asked', async () =>
      (await harness.people.messages(1001, 'ops')).find((one) => one.from.isBot),
    );
    const photo = { kind: 'photo', name: 'a.png', data: ONE_PIXEL };
    await send({ chat: 'ops', files: [photo] });
    await send({ chat: 'ops', files: [photo], replyTo: asked.messageId });
    await send({ chat: 'ops', text: '@signalbox_bot end' });
    expect((await untilRows(2)).map((row) => [row.text, row.files])).toEqual([
      ['', 1],
      ['end', 0],
    ]);
  });
});

/** A PNG of one pixel. */
const ONE_PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
