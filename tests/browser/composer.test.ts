import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openScene, type Scene } from './scene.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === null)('the field', () => {
  let scene: Scene;
  let page: Page;
  beforeAll(async () => {
    scene = await openScene(executablePath);
    const commands = [
      { command: 'status', description: 'What goes on now' },
      { command: 'stop', description: 'Interrupt me' },
      { command: 'whoami', description: 'Who you are to me', is_ephemeral: true },
    ];
    await scene.bot('setMyCommands', { commands });
    page = await scene.look('as=1001');
  });
  afterAll(() => scene?.close());

  const field = (): ReturnType<Page['locator']> => page.locator('textarea');
  const sent = (text: string): Promise<void> => page.locator('.message.own', { hasText: text }).last().waitFor();

  it('offers the commands that fit, with the keyboard', async () => {
    await field().fill('/st');
    const options = page.getByRole('option');
    expect(await options.allInnerTexts()).toEqual([
      expect.stringContaining('/status'),
      expect.stringContaining('/stop'),
    ]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await sent('/stop');
    expect(await field().inputValue()).toBe('');
    expect(scene.complaints()).toEqual([]);
  });

  it('helps to mention the bot in the group, and says which commands are only for oneself', async () => {
    await page.getByRole('button', { name: /^ops/ }).click();
    await field().pressSequentially('hey @sig');
    await page.getByRole('option', { name: /@signalbox_bot/ }).click();
    expect(await field().inputValue()).toBe('hey @signalbox_bot ');
    await page.keyboard.press('Enter');
    await sent('hey @signalbox_bot');
    await field().fill('/who');
    await page.getByRole('option', { name: /only you/ }).click();
    await page.locator('.message', { hasText: '/whoami' }).getByText('Only you and the bot see this').waitFor();
    expect(scene.complaints()).toEqual([]);
  });

  it('keeps what is typed for each chat, and edits the last message with ↑', async () => {
    await field().fill('for the group');
    await page.getByRole('button', { name: /^Signalbox/ }).click();
    await page.getByText('/stop').last().waitFor();
    expect(await field().inputValue()).toBe('');
    await field().fill('helo');
    await page.keyboard.press('Enter');
    await sent('helo');
    await page.keyboard.press('ArrowUp');
    expect(await field().inputValue()).toBe('helo');
    await field().fill('hello');
    await page.keyboard.press('Enter');
    await page.locator('.message', { hasText: 'hello' }).getByText('edited').waitFor();
    await page.getByRole('button', { name: /^ops/ }).click();
    expect(await field().inputValue()).toBe('for the group');
    expect(scene.complaints()).toEqual([]);
  });

  it('is one step of the Tab key from the newest message, which opens its menu with Enter', async () => {
    await page.getByRole('button', { name: /^Signalbox/ }).click();
    await sent('hello');
    await page.locator('.message').last().focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Message' }).getByRole('button', { name: 'Reply' }).click();
    await page.getByText('Reply to Ada').waitFor();
    expect(await field().evaluate((node) => document.activeElement === node)).toBe(true);
    await page.keyboard.type('to myself');
    await page.keyboard.press('Enter');
    await page.locator('.message', { hasText: 'to myself' }).getByRole('button', { name: 'Ada hello' }).waitFor();
    expect(scene.complaints()).toEqual([]);
  });
});
