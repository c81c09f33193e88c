import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputFile } from 'grammy';
import type { File, Update } from 'grammy/types';
import { expect, test } from 'vitest';
import type { LoggedCall } from './call-log.ts';
import { createSimulator, DEFAULT_TOKEN } from '../server.ts';
import { createSimulatorClient } from '../simulator-client.ts';
import { api, client, simulator, useSimulator } from '../simulator.fixture.ts';

useSimulator({ greeted: true });

/** Builds the shortest PNG header that contains the image size. */
function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32BE(0x89504e47, 0);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

const refusal = (reason: string): object => ({ error_code: 400, description: `Bad Request: ${reason}` });
const download = (file: File, token = DEFAULT_TOKEN): Promise<Response> =>
  fetch(`${simulator.url}/file/bot${token}/${file.file_path}`);
async function lastMessage(): Promise<NonNullable<Update['message']>> {
  const message = (await api.getUpdates()).at(-1)?.message;
  if (!message) throw new Error('The bot got no message.');
  return message;
}

test('a person receives a document with its caption, and can download its bytes', async () => {
  const file = new InputFile(Buffer.from('line 1\nline 2\n'), 'deploy.log');
  const caption_entities = [{ type: 'bold' as const, offset: 0, length: 3 }];
  const sent = await api.sendDocument(1001, file, { caption: 'The log', caption_entities });
  expect(sent).toMatchObject({
    caption: 'The log',
    caption_entities,
    document: { file_name: 'deploy.log', mime_type: 'text/plain', file_size: 14 },
  });
  const [, seen] = await client.messages(1001);
  expect(seen).toMatchObject({ text: 'The log', file: { kind: 'document', name: 'deploy.log', sizeBytes: 14 } });
  const response = await fetch(`${simulator.url}${seen?.file?.url}`);
  expect(response.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''deploy.log");
  expect(await response.text()).toBe('line 1\nline 2\n');
});

test('a document that is sent again by its file id cannot be sent as a photo', async () => {
  const sent = await api.sendDocument(1001, new InputFile(Buffer.from('x'), 'a.txt'));
  const again = await api.sendDocument(1001, sent.document.file_id);
  expect(again.document.file_unique_id).toBe(sent.document.file_unique_id);
  await expect(api.sendPhoto(1001, sent.document.file_id)).rejects.toMatchObject(
    refusal("can't use file of type Document as Photo"),
  );
});

test('a photo is sent and shown with its width and height', async () => {
  const sent = await api.sendPhoto(1001, new InputFile(png(1280, 720), 'x.png'));
  expect(sent.photo.map(({ width, height }) => [width, height])).toEqual([[1280, 720]]);
  expect((await client.messages(1001)).at(-1)?.file).toMatchObject({ kind: 'photo', width: 1280, height: 720 });
});

test('a voice message keeps its duration', async () => {
  const sent = await api.sendVoice(1001, new InputFile(Buffer.from('OggS'), 'x.ogg'), { duration: 7 });
  expect(sent.voice).toMatchObject({ duration: 7, mime_type: 'audio/ogg' });
});

test('a bot can download a file that a person sent', async () => {
  const data = Buffer.from([0, 1, 2, 255]).toString('base64');
  await client.post('/api/messages', { from: 1001, text: 'here', files: [{ name: 'a.bin', data }] });
  const message = await lastMessage();
  expect(message).toMatchObject({ caption: 'here', document: { file_name: 'a.bin', file_size: 4 } });
  const file = await api.getFile(message.document?.file_id ?? '');
  expect(Buffer.from(await (await download(file)).arrayBuffer())).toEqual(Buffer.from([0, 1, 2, 255]));
  expect((await download(file, '100:other')).status).toBe(401);
  expect((await download({ ...file, file_path: 'documents/file_99' })).status).toBe(404);
});

test('a person can also upload several files in one multipart form', async () => {
  const form = new FormData();
  form.append('message', JSON.stringify({ from: 1001, text: 'both' }));
  form.append('photo', new Blob([new Uint8Array(png(10, 10))]), 'a.png');
  form.append('photo2', new Blob([new Uint8Array(png(20, 20))]), 'b.png');
  const response = await fetch(`${simulator.url}/api/messages`, { method: 'POST', body: form });
  expect(await response.json()).toMatchObject({ ok: true, messageIds: [expect.any(Number), expect.any(Number)] });
});

test('an album becomes one message per file, with the caption on the first message', async () => {
  const data = png(10, 10).toString('base64');
  const files = [1, 2, 3].map(() => ({ kind: 'photo', data }));
  const { messageIds } = await client.post('/api/messages', { from: 1001, text: 'before and after', files });
  const messages = (await api.getUpdates()).flatMap((update) => update.message ?? []).slice(-3);
  expect(messages.map((message) => message.message_id)).toEqual(messageIds);
  expect(messages.map((message) => message.caption)).toEqual(['before and after', undefined, undefined]);
  expect(new Set(messages.map((message) => message.media_group_id)).size).toBe(1);
  expect(messages[0]?.media_group_id).toMatch(/^\d+$/);
});

test('an album that mixes photos and documents is refused', async () => {
  const files = [
    { kind: 'photo', data: png(10, 10).toString('base64') },
    { kind: 'document', data: 'AAAA' },
  ];
  expect(await client.post('/api/messages', { from: 1001, files })).toMatchObject({ ok: false });
});

test('in a group a bot receives a file only if its caption mentions the bot', async () => {
  const files = [{ name: 'a.txt', data: 'AAAA' }];
  const send = (text: string): Promise<{ updateId: number | null }> =>
    client.post('/api/messages', { from: 1002, chat: 'ops', text, files });
  expect((await send('look')).updateId).toBeNull();
  expect((await send('@signalbox_bot look')).updateId).not.toBeNull();
});

test('a bot cannot download a file of more than 20 MB', async () => {
  const sizeBytes = 20 * 1024 * 1024 + 1;
  await client.post('/api/messages', { from: 1001, files: [{ name: 'film.mp4', sizeBytes }] });
  const { document } = await lastMessage();
  expect(document?.file_size).toBe(sizeBytes);
  await expect(api.getFile(document?.file_id ?? '')).rejects.toMatchObject(refusal('file is too big'));
});

test('a bot cannot upload a file of more than 50 MB', async () => {
  const tooLarge = new InputFile(Buffer.alloc(50 * 1024 * 1024 + 1), 'large.bin');
  await expect(api.sendDocument(1001, tooLarge)).rejects.toMatchObject({
    error_code: 413,
    description: 'Request Entity Too Large',
  });
  expect(await client.messages(1001)).toHaveLength(1);
});

test.each([
  ['an empty document', 'sendDocument', Buffer.alloc(0), 'file must be non-empty'],
  ['a photo that is none', 'sendPhoto', Buffer.from('text'), 'IMAGE_PROCESS_FAILED'],
] as const)('a bot that sends %s is refused', async (_, method, bytes, reason) => {
  await expect(api[method](1001, new InputFile(bytes, 'x'))).rejects.toMatchObject(refusal(reason));
});

test.each([
  ['no file', '', 'there is no document in the request'],
  ['an upload that is not there', 'attach://nowhere', 'there is no document in the request'],
  ['an unknown id', 'BQACAgIAAxk', 'wrong file identifier/HTTP URL specified'],
  ['an address', 'https://example.org/a.pdf', 'failed to get HTTP URL content'],
])('sendDocument with %s instead of a document is refused', async (_, document, reason) => {
  await expect(api.sendDocument(1001, document)).rejects.toMatchObject(refusal(reason));
});

test('a caption of more than 1,024 characters is refused, and so is editMessageText on a document', async () => {
  const file = (): InputFile => new InputFile(Buffer.from('x'), 'a.txt');
  await expect(api.sendDocument(1001, file(), { caption: 'x'.repeat(1_025) })).rejects.toMatchObject(
    refusal('message caption is too long'),
  );
  const { message_id } = await api.sendDocument(1001, file(), { caption: 'old' });
  await expect(api.editMessageText(1001, message_id, 'text')).rejects.toMatchObject(
    refusal('there is no text in the message to edit'),
  );
});

test('the call log holds the size of an uploaded file and not its content', async () => {
  await api.sendDocument(1001, new InputFile(Buffer.from('secret'), 'a.txt'));
  const call = (await client.get<LoggedCall[]>('/api/calls')).at(-1);
  expect(JSON.stringify(call)).toContain('"sizeBytes":6');
  expect(JSON.stringify(call)).not.toContain('secret');
});

test('files survive a restart of the simulator', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'simulator-'));
  const first = await createSimulator({ dataDir });
  const data = Buffer.from('kept').toString('base64');
  await createSimulatorClient(first.url).post('/api/messages', { from: 1001, files: [{ name: 'a.txt', data }] });
  await first.close();
  const second = await createSimulator({ dataDir });
  const [message] = await createSimulatorClient(second.url).messages(1001);
  expect(await (await fetch(`${second.url}${message?.file?.url}`)).text()).toBe('kept');
  await second.close();
  rmSync(dataDir, { recursive: true });
});
