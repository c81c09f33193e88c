import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createSimulator } from '@signalbox/telegram-simulator/server';
import { openScene, overflowOf, PHONE, type Scene } from './scene.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === null)('the page on a phone', () => {
  let scene: Scene;
  let page: Page;
  beforeAll(async () => {
    scene = await openScene(executablePath);
    await scene.person('messages', { from: 1002, text: 'hello from Ben' });
    await scene.bot('sendMessage', { chat_id: 1002, text: 'one for Ben' });
    page = await scene.look('', { ...PHONE, colorScheme: 'dark' });
  });
  afterAll(() => scene?.close());

  const expectFine = async (): Promise<void> => {
    expect(await overflowOf(page)).toBe(0);
    expect(scene.complaints()).toEqual([]);
  };

  const open = (place: string): Promise<unknown> => page.goto(`${scene.url}/#${place}`);

  it('shows people and chats, then one chat, and goes back', async () => {
    expect(await page.locator('textarea').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Ben developer 1 unread' }).click();
    await page.getByRole('button', { name: /^Signalbox .* one for Ben 1 unread/ }).click();
    await page.locator('.message', { hasText: 'one for Ben' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Speak as' }).isVisible()).toBe(false);
    await page.goBack();
    await page.getByRole('heading', { name: 'Speak as' }).waitFor();
    await page.getByRole('button', { name: 'Ben developer', exact: true }).waitFor();
    await page.goForward();
    await page.getByRole('button', { name: 'People and chats' }).click();
    await page.getByRole('button', { name: /Zoe/ }).click();
    await page.getByRole('button', { name: /^Signalbox/ }).click();
    await page.getByRole('heading', { name: 'Zoe is a stranger' }).waitFor();
    await expectFine();
  });

  it('keeps a long line about a person inside its box', async () => {
    await scene.person('block', { person: 1003, blocked: true });
    await open('as=1001&list');
    const line = page.locator('.people').getByText('operator, blocked the bot');
    await line.waitFor();
    const overhang = await line.evaluate((node) => {
      const [inner, outer] = [node, node.closest('.row')].map((one) => one?.getBoundingClientRect().width ?? 0);
      return (inner ?? 0) - (outer ?? 0);
    });
    expect(overhang).toBeLessThanOrEqual(0);
    await scene.person('block', { person: 1003, blocked: false });
    await expectFine();
  });

  it('makes everything that is pressed large enough for a finger', async () => {
    await open('as=1009');
    await page.getByRole('button', { name: 'You speak as Zoe. Change' }).click();
    await page.getByRole('dialog').getByText('Ben').click();
    await page.locator('.message', { hasText: 'one for Ben' }).waitFor();
    const small = await page.locator('button:visible, textarea:visible').evaluateAll((all) =>
      all
        .map((one) => ({ name: one.ariaLabel ?? one.textContent, box: one.getBoundingClientRect() }))
        // The name of the chat is as large as the picture and the line around it.
        .filter(({ name, box }) => name !== 'Signalbox' && box.height > 0 && (box.height < 44 || box.width < 44))
        .map(({ name }) => name),
    );
    expect(small).toEqual([]);
    await expectFine();
  });

  it('opens the menu of a message by a long press', async () => {
    await open('as=1002');
    const message = page.locator('.message', { hasText: 'hello from Ben' });
    const box = await message.locator('.bubble').boundingBox();
    const at = { clientX: (box?.x ?? 0) + 20, clientY: (box?.y ?? 0) + 10, bubbles: true, cancelable: true };
    // Browsers make a context menu of a long press.
    await message.locator('.text').dispatchEvent('contextmenu', at);
    const menu = page.getByRole('dialog', { name: 'Message' });
    await menu.getByRole('button', { name: 'Edit' }).waitFor();
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
    await expectFine();
  });

  it('shows that a person blocked the bot, and lets the person unblock the bot', async () => {
    await open('as=1002');
    await page.getByRole('button', { name: 'Signalbox', exact: true }).click();
    await page.getByRole('button', { name: 'Block the bot' }).click();
    await page.getByText('Ben blocked the bot').waitFor();
    expect(await page.locator('textarea').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Unblock the bot' }).click();
    await page.locator('textarea').waitFor();
    await expectFine();
  });

  it('fits at 200 % zoom, and is laid out right to left for right-to-left languages', async () => {
    await open('as=1002');
    await page.setViewportSize({ width: 195, height: 422 });
    await scene.bot('sendMessage', { chat_id: 1002, text: 'مرحبا بكم في المشروع' });
    const text = page.locator('.message', { hasText: 'مرحبا' }).locator('.body');
    await text.waitFor();
    expect(await text.evaluate((node) => getComputedStyle(node).direction)).toBe('rtl');
    await expectFine();
    await page.setViewportSize({ width: 390, height: 844 });
  });

  it('keeps the scroll position while messages come, and finds a message far above', async () => {
    const ids: number[] = [];
    for (let index = 0; index < 90; index += 1) {
      const { message_id } = await scene.bot('sendMessage', { chat_id: 1002, text: `answer ${index}` });
      ids.push(message_id);
    }
    await open('as=1002');
    await page.reload();
    const said = (text: string): Locator => page.locator('.message .text').getByText(text, { exact: true });
    await said('answer 89').waitFor();
    const read = said('answer 65');
    await read.evaluate((node) => node.scrollIntoView({ block: 'center' }));
    await page.getByRole('button', { name: 'To the newest message' }).waitFor();
    const before = await read.boundingBox();
    await scene.bot('editMessageText', { chat_id: 1002, message_id: ids[40], text: 'a longer answer\n'.repeat(9) });
    await scene.bot('sendMessage', { chat_id: 1002, text: 'look above', reply_parameters: { message_id: ids[3] } });
    await page.locator('#to-bottom-badge', { hasText: '1' }).waitFor();
    const after = await read.boundingBox();
    // Scroll positions are whole pixels, heights are not.
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThanOrEqual(1);
    await page.getByRole('button', { name: 'To the newest message' }).click();
    await page.locator('.message', { hasText: 'look above' }).getByRole('button', { name: 'Earlier message' }).click();
    await page.locator('.message.flash', { hasText: 'answer 3' }).waitFor();
    await expectFine();
  });
});

describe.skipIf(executablePath === null)('the page', () => {
  it('reconnects when the simulator restarts, and removes chats that the simulator lost', async () => {
    const scene = await openScene(executablePath);
    await scene.person('messages', { from: 1001, text: 'before' });
    const page = await scene.look('as=1001');
    await page.locator('.message', { hasText: 'before' }).waitFor();
    await scene.stopSimulator();
    await page.getByText('Reconnecting…').waitFor();
    await page.locator('textarea').fill('typed meanwhile');
    await page.keyboard.press('Enter');
    await page.getByText('The simulator does not answer.').waitFor();
    expect(await page.locator('textarea').inputValue()).toBe('typed meanwhile');
    const again = await createSimulator({ port: Number(new URL(scene.url).port) });
    await scene.person('messages', { from: 1001, text: 'after' });
    await page.locator('.message', { hasText: 'after' }).waitFor();
    await page.locator('.message', { hasText: 'before' }).waitFor({ state: 'detached' });
    await again.close();
    await scene.close();
  });
});
