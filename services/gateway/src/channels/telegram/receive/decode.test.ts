import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeUpdate } from './decode.ts';
import { getNextOffset } from './poll.ts';

const BOT = { id: 100, username: 'signalbox_bot' };
const FROM = { id: 1001, is_bot: false, first_name: 'Ada', last_name: 'L' };
const PRIVATE = { id: 1001, type: 'private' };
const GROUP = { id: -2001, type: 'group' };
const message = (fields: object): unknown => ({
  update_id: 7,
  message: { message_id: 5, date: 1_700_000_000, chat: PRIVATE, from: FROM, ...fields },
});

describe('decoding a Telegram message', () => {
  test('a private text is decoded as a text of its sender', () => {
    expect(decodeUpdate(message({ text: 'hello' }), BOT)).toEqual({
      kind: 'text',
      updateId: '7',
      userKey: '1001',
      chatKey: 'telegram:1001',
      chatKind: 'private',
      name: 'Ada L',
      at: '2023-11-14T22:13:20.000Z',
      messageId: '5',
      text: 'hello',
      named: true,
      attachments: [],
      album: null,
      whisper: false,
    });
  });

  test('characters that Postgres cannot store are removed', () => {
    const decoded = decodeUpdate(
      message({ text: 'a\u0000b\ud800c', from: { ...FROM, first_name: '\u0000\udc00' } }),
      BOT,
    );
    expect(decoded).toMatchObject({ text: 'ab\ufffdc', name: '\ufffd L' });
  });

  test.each([
    ['@signalbox_bot deploy shop', 'deploy shop'],
    ['@Signalbox_Bot, deploy', 'deploy'],
    ['please @signalbox_bot deploy', 'please  deploy'],
    ['/help@signalbox_bot', '/help'],
    ['/new', '/new'],
    ['@signalbox_bot', '/help'],
  ])('in a group the text %j is decoded as addressed to the bot', (text, stripped) => {
    expect(decodeUpdate(message({ chat: GROUP, text }), BOT)).toMatchObject({ kind: 'text', text: stripped });
  });

  test.each(['lunch?', '/help@other_bot', '@signalbox_bot_two hi'])(
    'in a group the text %j is ignored as not addressed to the bot',
    (text) => {
      expect(decodeUpdate(message({ chat: GROUP, text }), BOT)).toMatchObject({ kind: 'ignored' });
    },
  );

  test('in a group a command without a mention of the bot is decoded as unnamed', () => {
    const named = (text: string): unknown => decodeUpdate(message({ chat: GROUP, text }), BOT);
    expect(named('/weather')).toMatchObject({ named: false });
    expect(named('/weather@signalbox_bot')).toMatchObject({ text: '/weather', named: true });
    expect(named('@signalbox_bot /weather')).toMatchObject({ text: '/weather', named: true });
  });

  test.each([
    ['a forward', { forward_origin: { type: 'user', sender_user: { id: 1001 } } }, 'forward'],
    ['a forward of an older server', { forward_date: 1 }, 'forward'],
    ['a forward of any shape', { forward_origin: 7 }, 'forward'],
    ['what another bot wrote', { via_bot: { id: 5 } }, 'bot'],
    ['a quotation', { entities: [{ type: 'blockquote', offset: 0, length: 5 }] }, 'quote'],
    ['a folded quotation', { entities: [{ type: 'expandable_blockquote', offset: 0, length: 5 }] }, 'quote'],
  ])('the text of %s is marked as not written by its sender', (_, fields, borrowed) => {
    expect(decodeUpdate(message({ text: 'deploy shop', ...fields }), BOT)).toMatchObject({ kind: 'text', borrowed });
  });

  test.each([{}, { entities: [{ type: 'bold', offset: 0, length: 5 }] }, { entities: 'x' }])(
    'typed text with the fields %j counts as written by its sender',
    (fields) => expect(decodeUpdate(message({ text: 'deploy shop', ...fields }), BOT)).not.toHaveProperty('borrowed'),
  );

  test('in a group a reply to a message of the bot is decoded as addressed to the bot', () => {
    const reply = { chat: GROUP, text: 'yes', reply_to_message: { from: { id: 100, is_bot: true } } };
    expect(decodeUpdate(message(reply), BOT)).toMatchObject({ kind: 'text', text: 'yes' });
  });

  test('a forum topic has a chat key of its own, and the general topic has the chat key of its group', () => {
    const topic = (fields: object): string | undefined => {
      const decoded = decodeUpdate(message({ chat: GROUP, text: '/status', ...fields }), BOT);
      return decoded.kind === 'text' ? decoded.chatKey : undefined;
    };
    expect(topic({ is_topic_message: true, message_thread_id: 77 })).toBe('telegram:-2001/77');
    expect(topic({ is_topic_message: true, message_thread_id: 1 })).toBe('telegram:-2001');
    expect(topic({ message_thread_id: 77 })).toBe('telegram:-2001');
  });

  test('a message in a topic that the bot created does not count as a reply to the bot', () => {
    const reply_to_message = { from: { id: 100, is_bot: true }, forum_topic_created: { name: 'deploys' } };
    expect(decodeUpdate(message({ chat: GROUP, text: 'lunch?', reply_to_message }), BOT)).toMatchObject({
      kind: 'ignored',
    });
  });

  const read = (fields: object): unknown => decodeUpdate(message(fields), BOT);
  const FILE = { file_id: 'f1', file_unique_id: 'u1' };

  test('a file is decoded with its caption as the text', () => {
    const document = { ...FILE, file_name: '../plan\n.pdf', mime_type: 'application/pdf', file_size: 1_234 };
    expect(read({ document, caption: 'look' })).toMatchObject({
      kind: 'text',
      text: 'look',
      album: null,
      attachments: [{ kind: 'document', ref: 'f1', name: 'plan .pdf', mimeType: 'application/pdf', sizeBytes: 1_234 }],
    });
  });

  test('a photo is decoded as the largest of its sizes', () => {
    const photo = [
      { file_id: 'small', width: 90, height: 60, file_size: 1 },
      { file_id: 'large', width: 900, height: 600, file_size: 3 },
      { file_id: 'middle', width: 320, height: 200, file_size: 2 },
    ];
    expect(read({ photo })).toMatchObject({ text: '', attachments: [{ kind: 'photo', ref: 'large', sizeBytes: 3 }] });
  });

  test.each([
    ['voice', 'voice', 'audio/ogg'],
    ['audio', 'audio', null],
    ['video', 'video', 'video/mp4'],
    ['video_note', 'video', 'video/mp4'],
  ])('a %s from Telegram is decoded as a file of the kind %s', (field, kind, mimeType) => {
    expect(read({ [field]: FILE })).toMatchObject({ attachments: [{ kind, ref: 'f1', name: null, mimeType }] });
  });

  test('the files of an album are decoded with the same album id', () => {
    expect(read({ document: FILE, media_group_id: 'g1' })).toMatchObject({ kind: 'text', album: 'g1' });
  });

  test('a file in a group is ignored unless it mentions the bot, answers the bot or belongs to an album', () => {
    const inGroup = (fields: object): unknown => read({ chat: GROUP, document: FILE, ...fields });
    expect(inGroup({ caption: '@signalbox_bot look' })).toMatchObject({ kind: 'text', text: 'look' });
    expect(inGroup({ caption: '@signalbox_bot' })).toMatchObject({ kind: 'text', text: '' });
    expect(inGroup({ reply_to_message: { from: { id: 100 } } })).toMatchObject({ kind: 'text', text: '' });
    expect(inGroup({ caption: 'look' })).toMatchObject({ kind: 'ignored', reason: 'not addressed' });
    expect(inGroup({ media_group_id: 'g1' })).toMatchObject({ kind: 'album-part', album: 'g1' });
  });

  test.each([
    [{ sticker: {} }, 'sticker'],
    [{ venue: {}, location: {} }, 'place'],
    [{ dice: {} }, 'game'],
    [{ photo: [{}] }, 'other'],
    [{ document: 7 }, 'other'],
  ])('a message with %j is decoded as neither a text nor a file', (fields, what) => {
    expect(read(fields)).toMatchObject({ kind: 'not-text', what });
  });

  test.each([{ text: 17 }, { date: 1e300, text: 'x' }, { message_id: null, text: 'x' }, { entities: 7, caption: {} }])(
    'a message with the malformed fields %j is decoded as neither a text nor a file',
    (fields) => {
      expect(read(fields)).toMatchObject({
        kind: 'not-text',
        what: 'other',
        userKey: '1001',
        chatKey: 'telegram:1001',
      });
    },
  );

  test.each([
    ['service message', { new_chat_title: 'x' }],
    ['from a bot', { from: { ...FROM, is_bot: true }, text: 'x' }],
    ['no sender', { from: undefined, text: 'x' }],
    ['not a chat with people', { chat: { id: 1, type: 'channel' }, text: 'x' }],
    ['malformed message', { chat: null, text: 'x' }],
    ['malformed message', { from: { ...FROM, is_bot: true }, text: 17 }],
  ])('an update is ignored with the reason: %s', (reason, fields) => {
    expect(decodeUpdate(message(fields), BOT)).toMatchObject({ kind: 'ignored', updateId: '7', reason });
  });

  test('a group that became a supergroup is decoded as moved to a new chat', () => {
    expect(decodeUpdate(message({ chat: GROUP, migrate_to_chat_id: -100200 }), BOT)).toEqual({
      kind: 'moved',
      updateId: '7',
      from: 'telegram:-2001',
      to: 'telegram:-100200',
    });
  });
});

describe('decoding another Telegram update', () => {
  const press = (fields: object): unknown => ({
    update_id: 8,
    callback_query: { id: 'q1', from: FROM, message: { message_id: 9, chat: PRIVATE }, data: 'b:12:1', ...fields },
  });

  test('a press of a button is decoded with the id of the outbox row that has the button', () => {
    expect(decodeUpdate(press({}), BOT)).toMatchObject({
      kind: 'press',
      outboxId: '12',
      index: 1,
      pressId: 'q1',
      messageId: '9',
    });
  });

  test.each(['b:12', 'b:1:999', 'b:99999999999999999999:0', 'approve:42', ''])(
    'a press with the button data %j, which Signalbox never writes, is ignored',
    (data) => {
      expect(decodeUpdate(press({ data }), BOT)).toMatchObject({
        kind: 'ignored',
        reason: 'foreign button',
        pressId: 'q1',
      });
    },
  );

  test('an update that says the bot was blocked marks the chat as unreachable', () => {
    const change = { update_id: 3, my_chat_member: { chat: PRIVATE, new_chat_member: { status: 'kicked' } } };
    expect(decodeUpdate(change, BOT)).toMatchObject({ kind: 'membership', reachable: false });
  });

  test('a press of Stop below a draft is decoded as the command /stop of that person', () => {
    const chat = { id: 1001, type: 'private', first_name: 'Ada' };
    const stopped = (fields: object): unknown => ({
      update_id: 9,
      stopped_message_generation: { chat, draft_id: 3, ...fields },
    });
    expect(decodeUpdate(stopped({}), BOT)).toMatchObject({
      kind: 'text',
      text: '/stop',
      userKey: '1001',
      name: 'Ada',
      chatKey: 'telegram:1001',
      chatKind: 'private',
      messageId: null,
    });
    expect(decodeUpdate(stopped({ message_thread_id: 5 }), BOT)).toMatchObject({ chatKey: 'telegram:1001/5' });
    expect(decodeUpdate(stopped({ chat: GROUP }), BOT)).toMatchObject({ kind: 'ignored', reason: 'malformed stop' });
  });

  test('an edited message is decoded as an edit', () => {
    const edited = (fields: object): unknown => ({
      update_id: 3,
      edited_message: {
        message_id: 5,
        date: 1,
        chat: PRIVATE,
        from: FROM,
        text: 'deploy blog',
        edit_date: 2,
        ...fields,
      },
    });
    expect(decodeUpdate(edited({}), BOT)).toMatchObject({ kind: 'edit', messageId: '5', text: 'deploy blog' });
    const entities = [{ type: 'blockquote', offset: 0, length: 5 }];
    expect(decodeUpdate(edited({ text: 'deploy\nblog', entities }), BOT)).toMatchObject({
      text: 'deploy\nblog',
      borrowed: 'quote',
    });
    expect(decodeUpdate(edited({ chat: GROUP }), BOT)).toMatchObject({ reason: 'not addressed' });
    expect(decodeUpdate(edited({ chat: GROUP, text: '@signalbox_bot deploy' }), BOT)).toMatchObject({
      kind: 'edit',
      text: 'deploy',
    });
    expect(decodeUpdate(edited({ text: undefined, sticker: {} }), BOT)).toMatchObject({ reason: 'edit without words' });
    expect(decodeUpdate({ update_id: 3, edited_message: {} }, BOT)).toMatchObject({ reason: 'malformed message' });
  });

  test('decoding never throws, whatever the input is', () => {
    const update = fc.oneof(
      fc.anything(),
      fc.record({ update_id: fc.anything(), message: fc.anything(), callback_query: fc.anything() }),
      fc.record({ update_id: fc.nat(), my_chat_member: fc.anything() }),
    );
    fc.assert(
      fc.property(update, (raw) => {
        expect(decodeUpdate(raw, BOT)).toHaveProperty('kind');
      }),
      { numRuns: 500 },
    );
  });
});

describe('the polling offset', () => {
  test('is one more than the highest update id of the batch, in whatever order the updates are', () => {
    expect(getNextOffset([{ update_id: 8 }, { update_id: 5 }], 3)).toBe(9);
  });
  test('becomes lower when Telegram restarts its update ids at a lower number', () => {
    expect(getNextOffset([{ update_id: 5 }], 1_000)).toBe(6);
  });
  test('is unchanged after an empty poll', () => {
    expect(getNextOffset([], 4)).toBe(4);
  });
  test('is null after a batch without ids', () => {
    expect(getNextOffset([null, 'x', { update_id: 'y' }], 4)).toBeNull();
  });
});
