import type { Attachment } from '@signalbox/contracts/conversation/envelope';
import type { FetchedFile } from '@signalbox/platform/streams/files';
import type { InboxMessage } from '@signalbox/store/turns/lanes';
import { expect, test } from 'vitest';
import { loadPictures, type LoadedPictures } from './pictures.ts';

const signal = new AbortController().signal;
const file = (kind: Attachment['kind'], ref: string): Attachment => ({
  kind,
  ref,
  name: null,
  mimeType: 'image/jpeg',
  sizeBytes: 10,
});

function message(id: string, attachments: readonly Attachment[]): InboxMessage {
  return {
    id: 1,
    envelope: {
      kind: 'message',
      id,
      channel: 'telegram',
      bot: '100',
      updateId: '1',
      userKey: '1001',
      chatKey: 'telegram:1001',
      chatKind: 'private',
      traceId: 'trc_1',
      at: '2026-01-02T03:04:05.000Z',
      name: 'Ada',
      text: 'look',
      messageId: '9',
      attachments: [...attachments],
      button: null,
    },
  };
}

function look(
  given: Readonly<Record<string, FetchedFile>>,
  batch: readonly InboxMessage[],
  sees = true,
): Promise<LoadedPictures> {
  const fetchFile = async ({ ref }: { readonly ref: string }): Promise<FetchedFile> => given[ref] ?? { kind: 'gone' };
  return loadPictures({ fetchFile, sees, signal }, batch, new Map([['apart', 'words']]));
}

test.each([
  ['image/png', '\x89PNG\r\n\x1a\n....'],
  ['image/jpeg', '\xff\xd8\xff\xe0....'],
  ['image/gif', 'GIF89a......'],
  ['image/webp', 'RIFF\x10\x00\x00\x00WEBPVP8 '],
])('a picture is recognized as %s by its first bytes', async (mimeType, text) => {
  const bytes = Buffer.from(text, 'latin1');
  const batch = [message('words', [file('photo', 'a')])];
  expect(await look({ a: { kind: 'file', bytes } }, batch)).toEqual({
    pictures: [{ messageId: 'words', mimeType, base64: bytes.toString('base64') }],
    note: null,
  });
});

test.each(['<svg onload="x"/>', '%PDF-1.7', '', 'RIFF', '\xff\xd8'])(
  'a file that begins with %j is refused as a picture whatever its name, and its sender is notified',
  async (text) => {
    const given: FetchedFile = { kind: 'file', bytes: Buffer.from(text, 'latin1') };
    const seen = await look({ a: given }, [message('words', [file('photo', 'a')])]);
    expect(seen.pictures).toEqual([]);
    expect(seen.note).toContain('I could not look at the picture');
  },
);

test('a picture without a text is shown to the model with the message it belongs to', async () => {
  const given: FetchedFile = { kind: 'file', bytes: Buffer.from('GIF89a......') };
  const seen = await look({ a: given }, [message('apart', [file('photo', 'a')]), message('words', [])]);
  expect(seen.pictures.map(({ messageId }) => messageId)).toEqual(['words']);
});

test('pictures over the limit are counted, but not shown to the model', async () => {
  const given: FetchedFile = { kind: 'file', bytes: Buffer.from('GIF89a......') };
  const refs = ['a', 'b', 'c', 'd', 'e', 'f'];
  const all = Object.fromEntries(refs.map((ref) => [ref, given]));
  const seen = await look(all, [
    message(
      'words',
      refs.map((ref) => file('photo', ref)),
    ),
  ]);
  expect(seen.pictures).toHaveLength(4);
  expect(seen.note).toContain('2 pictures');
});

test('no picture is fetched for a model without vision, and the sender is notified', async () => {
  const seen = await look({}, [message('words', [file('photo', 'a')])], false);
  expect(seen).toEqual({ pictures: [], note: expect.stringContaining('I cannot look at the picture') });
});

test('documents and voice notes are not fetched as pictures', async () => {
  expect(await look({}, [message('words', [file('document', 'a'), file('voice', 'b')])])).toEqual({
    pictures: [],
    note: null,
  });
});
