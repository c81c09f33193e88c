import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openScene, overflowOf, PHONE, type Scene } from './scene.ts';

const executablePath = inject('chromium');
const paragraph = (text: unknown): object => ({ type: 'paragraph', text });
const cell = (text: string, more: object = {}): object => ({ text, align: 'left', valign: 'top', ...more });

/** The smallest picture that a browser shows: one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);

describe.skipIf(executablePath === null)('a message of the bot', () => {
  let scene: Scene;
  let page: Page;
  beforeAll(async () => {
    scene = await openScene(executablePath);
    await scene.person('messages', { from: 1001, text: '/start' });
    page = await scene.look('as=1001', PHONE);
  });
  afterAll(() => scene?.close());

  /** Nothing is wider than the phone, and the page has complained about nothing. */
  const expectFine = async (): Promise<void> => {
    expect(await overflowOf(page)).toBe(0);
    expect(scene.complaints()).toEqual([]);
  };
  /** Says something as the bot and waits until it is shown. */
  const say = async (blocks: readonly object[]): Promise<{ readonly id: number; readonly message: Locator }> => {
    const { message_id: id } = await scene.bot('sendRichMessage', { chat_id: 1001, rich_message: { blocks } });
    const message = page.locator(`[data-id="${id}"]`);
    await message.waitFor();
    return { id, message };
  };

  it('shows a wide table with its header, which scrolls inside its bubble', async () => {
    const names = ['Project', 'Server', 'Port', 'Version', 'Health', 'Deployed by'];
    const head = names.map((name) => cell(name, { is_header: true }));
    const row = ['shop', 'eu-west-production', '8081', 'v2.14.0', 'healthy', 'Ada'].map((text) => cell(text));
    const { message } = await say([{ type: 'table', cells: [head, row] }]);
    const table = message.getByRole('region', { name: 'Table' });
    expect(await table.getByRole('columnheader').allInnerTexts()).toEqual(names);
    expect(await table.getByRole('cell').allInnerTexts()).toContain('eu-west-production');
    await table.evaluate((node) => node.scrollTo({ left: 10_000 }));
    expect(await table.evaluate((node) => node.scrollLeft)).toBeGreaterThan(0);
    await expectFine();
  });

  it('keeps lists, quotes and code that a model wrote separate', async () => {
    const { message } = await say([
      { type: 'heading', size: 2, text: 'Rollback' },
      { type: 'list', items: [{ blocks: [paragraph('stopped')], has_checkbox: true, is_checked: true }] },
      { type: 'pre', text: 'npm start', language: 'sh' },
      { type: 'expandable_blockquote', text: 'long '.repeat(80) },
      { type: 'details', summary: 'What changed', blocks: [paragraph('the price list')] },
    ]);
    await message.getByRole('heading', { name: 'Rollback' }).waitFor();
    expect(await message.getByRole('listitem').innerText()).toContain('stopped');
    await message.getByRole('img', { name: 'done' }).waitFor();
    expect(await message.locator('.code').innerText()).toMatch(/sh[^]*Copy[^]*npm start/);
    expect(await message.locator('blockquote').innerText()).toContain('long long');
    expect(await message.getByText('the price list').isVisible()).toBe(false);
    await message.getByText('What changed').click();
    expect(await message.getByText('the price list').isVisible()).toBe(true);
    await expectFine();
  });

  it('never turns text that a model wrote into HTML', async () => {
    const attack = '<img src=x onerror="document.title=1"><b>bold</b>';
    const link = { type: 'url', text: attack, url: 'https://example.org' };
    await say([paragraph([attack, link]), { type: 'pre', text: attack }, { type: 'table', cells: [[cell(attack)]] }]);
    await scene.bot('sendMessage', { chat_id: 1001, text: attack });
    await page.getByText(attack).nth(4).waitFor();
    expect(await page.locator('.messages img, .messages b').count()).toBe(0);
    await expectFine();
  });

  it('is edited in place and marked, and its open details stay open', async () => {
    const steps = (done: number): object[] => [
      {
        type: 'list',
        items: ['build', 'test', 'deploy'].map((step, index) => ({
          blocks: [paragraph(step)],
          has_checkbox: true,
          ...(index < done ? { is_checked: true } : {}),
        })),
      },
      { type: 'details', summary: 'Log', blocks: [paragraph(`line ${done}`)] },
    ];
    const { id, message } = await say(steps(0));
    await message.getByText('Log').click();
    await message.evaluate((node) => Object.assign(node, { isTheSame: true }));
    await scene.bot('editMessageText', { chat_id: 1001, message_id: id, rich_message: { blocks: steps(2) } });
    await message.getByText('line 2').waitFor();
    expect(await message.getByRole('img').evaluateAll((all) => all.map((one) => one.ariaLabel))).toEqual([
      'done',
      'done',
      'not done',
    ]);
    await message.getByText('edited').waitFor();
    expect(await message.evaluate((node) => 'isTheSame' in node)).toBe(true);
    await expectFine();
  });

  it('shows a draft until it is stopped or sent', async () => {
    const write = (draft_id: number, text: string): Promise<object> =>
      scene.bot('sendMessageDraft', { chat_id: 1001, draft_id, text, can_stop: true });
    const draft = page.getByLabel('The bot is writing');
    await write(1, 'Let me');
    await write(1, 'Let me think about');
    await draft.getByText('Let me think about').waitFor();
    await draft.getByRole('button', { name: 'Stop' }).click();
    await draft.waitFor({ state: 'detached' });

    await write(2, 'It is because');
    await draft.getByText('It is because').waitFor();
    const before = await draft.locator('.text').boundingBox();
    await scene.bot('sendMessage', { chat_id: 1001, text: 'It is because' });
    await draft.waitFor({ state: 'detached' });
    const after = await page.locator('.message').last().locator('.text').boundingBox();
    expect(after).toMatchObject({ x: before?.x, y: before?.y });
    await expectFine();
  });

  it('shows the result of a button press on its buttons', async () => {
    await scene.bot('sendMessage', {
      chat_id: 1001,
      text: 'Shall I deploy?',
      reply_markup: {
        inline_keyboard: [
          [{ text: 'Deploy', callback_data: 'yes', style: 'success' }],
          [
            { text: 'Notes', url: 'https://example.org/notes' },
            { text: 'Command', copy_text: { text: 'deploy shop' } },
            { text: 'Later', disabled: {} },
          ],
        ],
      },
    });
    const deploy = page.getByRole('button', { name: 'Deploy' });
    await deploy.click();
    await page.locator('.key[data-busy]', { hasText: 'Deploy' }).waitFor();
    await scene.bot('answerCallbackQuery', { callback_query_id: await scene.nextPress(), text: 'On it' });
    await page.getByText('On it').last().waitFor();
    expect(await page.locator('.key[data-busy]').count()).toBe(0);
    await deploy.click();
    await page.locator('.key[data-busy]').waitFor();
    await scene.bot('answerCallbackQuery', {
      callback_query_id: await scene.nextPress(),
      text: 'Not allowed',
      show_alert: true,
    });
    await page.getByRole('dialog').getByText('Not allowed').waitFor();
    await page.getByRole('button', { name: 'OK' }).click();
    expect(await page.getByRole('link', { name: 'Notes' }).getAttribute('href')).toBe('https://example.org/notes');
    expect(await page.getByRole('button', { name: 'Later' }).isDisabled()).toBe(true);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Command' }).click();
    await page.locator('.toast', { hasText: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('deploy shop');
    await expectFine();
  });
});

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

  it('are chosen, named, refused with a reason and sent with a caption', async () => {
    await page.setInputFiles('#file-input', [
      { name: 'first.png', mimeType: 'image/png', buffer: PIXEL },
      { name: 'second.png', mimeType: 'image/png', buffer: PIXEL },
      { name: 'shop.log', mimeType: 'text/plain', buffer: Buffer.from('started') },
    ]);
    const tray = page.getByRole('region', { name: 'Files to send' });
    await tray.getByText('shop.log').waitFor();
    expect(await tray.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('first.png'),
      expect.stringContaining('second.png'),
      expect.stringMatching(/shop\.log\s+7 B/),
    ]);
    await page.locator('textarea').fill('two pictures and a log');
    await page.getByRole('button', { name: 'Send' }).click();
    await tray.getByText('An album holds only photos or only documents').waitFor();
    await expect.poll(() => scene.complaints()).toEqual([expect.stringContaining('400')]);
    await tray.getByRole('button', { name: 'Remove shop.log' }).click();
    await page.locator('textarea').fill('two pictures');
    await page.getByRole('button', { name: 'Send' }).click();
    const album = page.locator('.message', { hasText: 'two pictures' });
    await album.waitFor();
    expect(await album.getByRole('link', { name: 'Show the photo' }).count()).toBe(2);
    await tray.waitFor({ state: 'hidden' });
    const opening = page.context().waitForEvent('page');
    await album.getByRole('link', { name: 'Show the photo' }).first().click();
    await (await opening).close();
    await expectFine();
  });

  it('can be dropped or pasted into the page', async () => {
    await page.locator('#chat').evaluate((chat) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['x'], 'dropped.txt'));
      chat.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    });
    await page.locator('textarea').evaluate((text) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['y'], 'pasted.txt'));
      text.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    const tray = page.getByRole('region', { name: 'Files to send' });
    await tray.getByText('pasted.txt').waitFor();
    await tray.getByRole('button', { name: 'Remove dropped.txt' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('link', { name: 'Download pasted.txt, 1 B' }).waitFor();
    expect(await page.getByText('dropped.txt').count()).toBe(0);
    await expectFine();
  });

  it('that cannot be sent stay in the message field, with the reason', async () => {
    await page.setInputFiles('#file-input', { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no') });
    await page.getByRole('button', { name: 'Send' }).click();
    const tray = page.getByRole('region', { name: 'Files to send' });
    await tray.getByRole('alert').getByText('broken.png').waitFor();
    await expect.poll(() => scene.complaints()).toEqual([expect.stringContaining('400')]);
    await tray.getByRole('button', { name: 'Remove broken.png' }).click();
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

  it('that are recordings show their duration', async () => {
    const data = Buffer.from('no sound').toString('base64');
    await scene.person('messages', { from: 1001, files: [{ kind: 'voice', data, durationSeconds: 75 }] });
    await page.getByRole('link', { name: 'Download Voice message, 1:15, 8 B' }).waitFor();
    await expectFine();
  });
});
