import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { until } from '../support/until.ts';
import { openPlayedGateway, type PlayedGateway } from './web-gateway.ts';
import { openWebScene, type WebScene } from './web-scene.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === null)('the connection of the web page', () => {
  let scene: WebScene;
  let gateway: PlayedGateway;
  let page: Page;
  beforeAll(async () => {
    scene = await openWebScene(executablePath);
  });
  beforeEach(async () => {
    gateway = await openPlayedGateway();
    gateway.person = { name: 'Ada', role: 'admin' };
  });
  afterEach(async () => {
    await scene.leave();
    await gateway.close();
  });
  afterAll(() => scene?.close());

  const open = async (query = ''): Promise<void> => {
    page = await scene.look(`${gateway.url}/${query}`);
    await page.getByText('Connected').waitFor();
  };
  const write = async (text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text);
    await page.keyboard.press('Enter');
  };

  it('loses and duplicates no message when the connection breaks repeatedly', async () => {
    await open();
    for (let count = 0; count < 12; count += 1) {
      // Every third is taken, and its confirmation is lost with the socket.
      gateway.confirms = count % 3 !== 0;
      await write(`message ${count}`);
      if (count === 0) await until(() => gateway.messages.length === 1);
      gateway.put({ id: `note-${count}`, type: 'Text', props: { text: `note ${count}` } });
      if (count % 2 === 0) gateway.drop();
    }
    gateway.confirms = true;
    gateway.drop();
    await until(
      async () => (await page.locator('[data-pending]').count()) === 0 && gateway.messages.length === 12,
      40_000,
    );
    // The newest note can follow the newest confirmation.
    await page.getByText('note 11', { exact: true }).waitFor();
    expect(gateway.messages.map(({ text }) => text)).toEqual(
      Array.from({ length: 12 }, (_, count) => `message ${count}`),
    );
    for (let count = 0; count < 12; count += 1) {
      expect(await page.locator('.own').getByText(`message ${count}`, { exact: true }).count()).toBe(1);
      expect(await page.getByText(`note ${count}`, { exact: true }).count()).toBe(1);
    }
    // The first was said twice, or this test would not show that it does not matter.
    expect(gateway.timesSaid.get(gateway.messages[0]?.id ?? '')).toBeGreaterThan(1);
    expect(Number(gateway.opened.at(-1)?.get('after'))).toBeGreaterThan(0);
  });

  it('keeps messages written while offline, even over a reload, and sends them in order under the same ids', async () => {
    await open();
    gateway.confirms = false;
    await write('one');
    await until(() => gateway.messages.length === 1);
    gateway.refuseWith = 1013;
    gateway.drop();
    await page.getByText('The gateway cannot read its data at the moment. I am trying again.').waitFor();
    await write('two');
    await page.getByText('Kept until the connection is back').first().waitFor();
    await page.reload();
    await page.getByText('two').waitFor();
    gateway.confirms = true;
    gateway.refuseWith = null;
    await until(() => gateway.messages.length === 2, 30_000);
    await until(async () => (await page.locator('[data-pending]').count()) === 0);
    expect(gateway.messages.map(({ text }) => text)).toEqual(['one', 'two']);
    expect(await page.locator('.own').count()).toBe(2);
  });

  it('sends a button press again under the same id when the gateway did not confirm the press', async () => {
    await open();
    gateway.put({ id: '1', type: 'Button', version: '3', props: { label: 'Go' } });
    await page.getByRole('button', { name: 'Go' }).click();
    await until(() => gateway.actions.length === 1);
    gateway.drop();
    await until(() => gateway.timesSaid.get(gateway.actions[0]?.id ?? '') === 2, 30_000);
    expect(gateway.actions).toHaveLength(1);
  });

  it('shows that it is offline, and reconnects as soon as the browser is online', async () => {
    await open();
    await page.context().setOffline(true);
    gateway.drop();
    await page.getByText('You are offline. What you write is kept').waitFor();
    await write('from the train');
    await page.getByText('Kept until the connection is back').waitFor();
    await page.context().setOffline(false);
    await until(() => gateway.messages.length === 1, 40_000);
    await page.getByText('Connected').waitFor();
    expect(await page.getByText('You are offline').count()).toBe(0);
  });

  it.each([
    [4000, 'There is no agent of that name here.'],
    [4002, 'could not read what this page sent'],
  ])('explains a close with the code %i, and does not reconnect', async (code, sentence) => {
    await open('?agent=other');
    gateway.refuseWith = code;
    gateway.drop(code);
    await page.getByText(sentence).waitFor();
    await page.getByText('Not connected').waitFor();
    await page.evaluate(() => dispatchEvent(new Event('online')));
    expect(gateway.opened).toHaveLength(1);
  });

  it.each([
    [4003, 'The connection was too slow'],
    [4004, 'That was too much at once'],
  ])('explains a close with the code %i until the page is connected again', async (code, sentence) => {
    await open();
    gateway.drop(code);
    await page.getByText(sentence).waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(gateway.opened).toHaveLength(2);
    expect(await page.getByText(sentence).count()).toBe(0);
  });

  it('sends no message again after the gateway could not parse a message', async () => {
    await open();
    gateway.confirms = false;
    await write('unreadable');
    await until(() => gateway.messages.length === 1);
    gateway.drop(4002);
    await page.getByText('Not sent').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await page.getByText('unreadable').count()).toBe(0);
  });

  it('tells the gateway whether voice is on, at the start and after each change', async () => {
    await open();
    expect(Object.fromEntries(gateway.opened[0] ?? [])).toMatchObject({ mode: 'text', device: 'desktop' });
    await page.setViewportSize({ width: 390, height: 800 });
    await until(() => gateway.modes.length === 1);
    expect(gateway.modes).toEqual([{ mode: 'text', device: 'mobile' }]);
    gateway.drop();
    await until(() => gateway.opened.length === 2, 30_000);
    expect(gateway.opened[1]?.get('device')).toBe('mobile');
    expect(gateway.modes).toHaveLength(1);
  });
});
