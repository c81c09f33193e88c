import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openScene, overflowOf, PHONE, type Scene } from './scene.ts';

const executablePath = inject('chromium');
/** The smallest picture that a browser shows: one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);

describe.skipIf(executablePath === null)('files', () => {
  let scene: Scene;
  let page: Page;
  beforeAll(async () => {
    scene = await openScene(executablePath);
    page = await scene.look('as=1001', PHONE);
  });
  afterAll(() => scene?.close());

  const expectFine = async (): Promise<void> => {
    expect(await overflowOf(page)).toBe(0);
    expect(scene.complaints()).toEqual([]);
  };

  it('are chosen, named, refused in words and sent with a caption', async () => {
    await page.setInputFiles('#file-input', [
      { name: 'first.png', mimeType: 'image/png', buffer: PIXEL },
      { name: 'second.png', mimeType: 'image/png', buffer: PIXEL },
      { name: 'shop.log', mimeType: 'text/plain', buffer: Buffer.from('started') },
      { name: 'nothing.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
    ]);
    const tray = page.getByRole('region', { name: 'Files to send' });
    await tray.getByText('nothing.txt is empty.').waitFor();
    expect(await tray.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('first.png'),
      expect.stringContaining('second.png'),
      expect.stringMatching(/shop\.log\s+7 B/),
    ]);
    await page.locator('textarea').fill('two pictures and a log');
    await page.getByRole('button', { name: 'Send' }).click();
    const album = page.locator('.message', { hasText: 'two pictures and a log' });
    await album.waitFor();
    expect(await album.getByRole('button', { name: 'Show the photo' }).count()).toBe(2);
    await page.getByRole('link', { name: 'Download shop.log, 7 B' }).waitFor();
    expect(await tray.isVisible()).toBe(false);
    await album.getByRole('button', { name: 'Show the photo' }).first().click();
    await page.getByRole('dialog', { name: 'Photo' }).getByRole('button', { name: 'Close' }).click();
    await expectFine();
  });

  it('that cannot be sent stay, with the reason', async () => {
    await page.setInputFiles('#file-input', { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no') });
    await page.getByRole('button', { name: 'Send' }).click();
    const tray = page.getByRole('region', { name: 'Files to send' });
    await tray.getByRole('alert').getByText('broken.png').waitFor();
    expect(scene.complaints()).toEqual([expect.stringContaining('400')]);
    await tray.getByLabel('Send photos as files').check();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('link', { name: 'Download broken.png, 2 B' }).waitFor();
    await expectFine();
  });

  it('of the bot are downloaded with their name and bytes', async () => {
    const form = new FormData();
    form.append('chat_id', '1001');
    form.append('caption', 'The report of today');
    form.append('document', new Blob(['all is well']), 'report <1>.txt');
    await fetch(`${scene.url}/bot100:simulator/sendDocument`, { method: 'POST', body: form });
    const message = page.locator('.message', { hasText: 'The report of today' });
    await message.getByText('report <1>.txt').waitFor();
    const waiting = page.waitForEvent('download');
    await message.getByRole('link').click();
    const download = await waiting;
    expect(download.suggestedFilename()).toMatch(/^report .*\.txt$/);
    const stream = await download.createReadStream();
    expect(Buffer.concat(await stream.toArray()).toString()).toBe('all is well');
    await expectFine();
  });

  it('that are recordings show how long they are', async () => {
    const data = Buffer.from('no sound').toString('base64');
    await scene.person('messages', { from: 1001, files: [{ kind: 'voice', data, durationSeconds: 75 }] });
    await page.locator('.voice').getByText('1:15').waitFor();
    await page.getByRole('button', { name: 'Play the voice message' }).click();
    await page.getByText('This browser cannot play the recording').waitFor();
    await expectFine();
  });
});
