import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { openStack, type Stack } from '../support/stack.ts';
import { openBrowser, overflowOf } from './scene.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === null)('the chat page', () => {
  let stack: Stack;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];
  beforeAll(async () => {
    stack = await openStack({ jobs: true });
    for (const [id, role] of [
      [1001, 'admin'],
      [1002, 'developer'],
    ] as const)
      await stack.person(id, role);
    browser = await openBrowser(executablePath);
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.close();
  });

  const say = async (text: string): Promise<void> => {
    await page.locator('textarea').fill(text);
    await page.keyboard.press('Enter');
  };
  const sees = (text: string | RegExp): Promise<void> => page.getByText(text).last().waitFor({ timeout: 15_000 });
  const shoot = (name: string): Promise<unknown> =>
    page.screenshot({ path: join(getCheckoutPath(), '.signalbox', 'screenshots', `${name}.png`) });

  it('carries a newcomer from creating a project to a finished task', async () => {
    await page.goto(`${stack.simulatorUrl}/#as=1001`);
    await shoot('empty');
    await say('create a project called shop for the web shop');
    await sees(/created.*shop/i);
    await say('create a project called blog for the company news');
    await sees(/created.*blog/i);
    await say('allocate a port');
    await sees(/which project/i);
    await page.getByRole('button', { name: 'shop', exact: true }).last().click();
    await sees(/Port \d+ on local now belongs to shop/);
    await shoot('result');
    await say('thanks');
    await sees(/closed this task/);
    await say('list the projects');
    await sees(/2 projects/);
    await shoot('conversation');
    const { rows } = await stack.pool.query(`select thread_id, status from threads where user_key = '1001' order by n`);
    expect(rows).toEqual([
      { thread_id: 'user_1001_1', status: 'finished' },
      { thread_id: 'user_1001_2', status: 'open' },
    ]);
    expect(errors).toEqual([]);
  });

  it('shows the same conversation on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await sees(/2 projects/);
    // The page fades in when it becomes narrow.
    await page.evaluate(() =>
      Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))),
    );
    await shoot('phone');
    expect(await overflowOf(page)).toBe(0);
  });
});
