import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { until } from '../support/until.ts';
import { findPaleTexts } from './contrast.ts';
import { overflowOf } from './scene.ts';
import { openPlayedGateway, type PlayedGateway } from './web-gateway.ts';
import { openWebScene, type WebScene } from './web-scene.ts';

const executablePath = inject('chromium');
const at = '2026-03-02T10:31:00.000Z';
const PHONE: BrowserContextOptions = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true };

/** One of everything that a conversation may hold. */
function fill(gateway: PlayedGateway): void {
  const say = (id: string, props: object): void => gateway.put({ id, type: 'Message', props: { at, ...props } });
  say('1', { from: 'person', text: 'What runs on staging?', messageId: 'x' });
  say('2', {
    from: 'agent',
    text: `Two **services**, [see](https://example.org):\n\n| a | b | c | d | e |\n|-|-|-|-|-|\n| ${'wide '.repeat(9)} | 1 | 2 | 3 | 4 |\n\n\`\`\`\n${'x'.repeat(300)}\n\`\`\`\n\n${'longword'.repeat(40)}`,
    receipts: [{ what: 'Read the services', note: '10:31 · /why' }],
    files: [{ artifactId: 'art_1', name: `${'report'.repeat(20)}.pdf`, sizeBytes: 48_213 }],
    buttons: [{ label: 'web-1' }, { label: 'web-2' }],
  });
  const card = {
    text: 'Deploy `shop`',
    at,
    hash: 'f'.repeat(64),
    askedBy: 'Ben',
    expiresAt: at,
    buttons: [{ label: 'Approve' }, { label: 'Reject' }],
  };
  gateway.put({ id: '3', type: 'Approval', props: card });
  gateway.put({ id: '4', type: 'Progress', props: { text: 'step 3' } });
  const steps = ['waiting', 'running', 'done', 'failed'].map((state) => ({ label: 'Build', state, note: '1 s' }));
  gateway.put({ id: '5', type: 'Timeline', props: { title: 'Deployment', steps } });
  gateway.put({ id: '6', type: 'DataCard', props: { title: 'shop', fields: [{ label: 'Version', value: '`1`' }] } });
  gateway.put({
    id: '7',
    type: 'Table',
    props: {
      columns: ['Service', 'Address', 'Owner', 'State'],
      rows: [['shop', 'https://shop.example.org/a/b', 'Ben', 'well']],
    },
  });
  gateway.put({ id: '8', type: 'Hologram', props: {} });
  for (const tone of ['info', 'warning', 'error'])
    gateway.put({ id: tone, type: 'Notice', props: { text: `a ${tone}`, tone } });
  say('9', { from: 'agent', text: 'מה רץ על `shop`?' });
}

/** Waits for the last part of `fill`. */
const waitForAll = (page: Page): Promise<void> => page.locator('[data-id="9"]').waitFor();

describe.skipIf(executablePath === null)('the accessible web page', () => {
  let scene: WebScene;
  let gateway: PlayedGateway;
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

  const nameOfFocus = (page: Page): Promise<string> =>
    page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.ariaLabel ?? activeElement?.textContent?.trim() ?? '';
    });

  it('can be used with the keyboard alone, in reading order', async () => {
    gateway.put({
      id: '1',
      type: 'Message',
      props: {
        from: 'agent',
        text: 'Which [server](https://example.org)?',
        at,
        buttons: [{ label: 'web-1' }, { label: 'web-2' }],
      },
    });
    const page = await scene.look(gateway.url);
    await page.getByRole('button', { name: 'web-2' }).waitFor();
    expect(await nameOfFocus(page)).toBe('Message');
    await page.locator('.skip').focus();
    const visited: string[] = [];
    for (let count = 0; count < 20 && visited.at(-1) !== 'Send'; count += 1) {
      const name = await nameOfFocus(page);
      const isShown = await page.evaluate(() => {
        const [style, around] = [document.activeElement, document.activeElement?.parentElement].map(
          (node) => node && getComputedStyle(node),
        );
        return style?.outlineStyle !== 'none' || around?.boxShadow !== 'none';
      });
      expect([name, isShown]).toEqual([name, true]);
      visited.push(name);
      await page.keyboard.press('Tab');
    }
    const expected = [
      'Skip to the message field',
      'Sign out',
      'Conversation',
      'server',
      'web-1',
      'web-2',
      'Message',
      'Send',
    ];
    expect(visited.filter((name) => expected.includes(name))).toEqual(expected);

    await page.getByRole('button', { name: 'web-2' }).focus();
    await page.keyboard.press('Enter');
    await until(() => gateway.actions.length === 1);
    expect(await nameOfFocus(page)).toContain('web-2');
    // The gateway takes the buttons away: the focus stays at what was said.
    gateway.put({ id: '1', type: 'Message', props: { from: 'agent', text: 'Which server?', at } });
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-id') === '1'));
    await page.keyboard.press('Tab');
    await page.keyboard.type('and now');
    await page.keyboard.press('Enter');
    await until(() => gateway.messages.length === 1);
  });

  it('lets keyboard users skip to the message field', async () => {
    const page = await scene.look(gateway.url);
    await page.getByText('Connected').waitFor();
    await page.getByText('Skip to the message field').focus();
    await page.keyboard.press('Enter');
    expect(await nameOfFocus(page)).toBe('Message');
  });

  it('has landmarks and names for screen readers, which announce each change once', async () => {
    fill(gateway);
    const page = await scene.look(gateway.url);
    await waitForAll(page);
    for (const role of ['banner', 'main', 'log'] as const) expect(await page.getByRole(role).count()).toBe(1);
    expect(await page.getByRole('log').getAttribute('aria-relevant')).toBe('additions');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Signalbox');
    const nameless = await page
      .locator('button, a, textarea')
      .evaluateAll((all) =>
        all.filter((one) => !one.ariaLabel && !one.textContent?.trim()).map((one) => one.outerHTML),
      );
    expect(nameless).toEqual([]);
    expect(
      await page
        .locator('[data-id="9"] p')
        .first()
        .evaluate((node) => getComputedStyle(node).direction),
    ).toBe('rtl');
  });

  it('fits a screen of 320 pixels, with buttons that are large enough for a finger', async () => {
    fill(gateway);
    const page = await scene.look(gateway.url, PHONE);
    await waitForAll(page);
    expect(await overflowOf(page)).toBe(0);
    const wide = await page.locator('.scroller').evaluate((node) => node.scrollWidth - node.clientWidth);
    expect(wide).toBe(0);
    const small = await page.locator('button:visible, textarea, a.file').evaluateAll((all) =>
      all
        // Words of a text are as high as its lines.
        .filter((one) => !one.matches('.word'))
        .map((one) => ({ name: one.ariaLabel ?? one.textContent, box: one.getBoundingClientRect() }))
        .filter(({ box }) => box.height < 44 || box.width < 44)
        .map(({ name }) => name),
    );
    expect(small).toEqual([]);
    // A card has nothing right of its edge.
    const hidden = await page
      .locator('.approval *')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1).length);
    expect(hidden).toBe(0);
  });

  it.each(['light', 'dark'] as const)(
    'has enough contrast in every text with the %s color scheme',
    async (colorScheme) => {
      fill(gateway);
      const page = await scene.look(gateway.url, { colorScheme });
      await waitForAll(page);
      expect(await findPaleTexts(page)).toEqual([]);
      await page.getByRole('button', { name: 'web-1' }).click();
      await page.getByLabel('Message').fill('/');
      await page.getByRole('option').first().waitFor();
      expect(await findPaleTexts(page)).toEqual([]);
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(paper).toBe(colorScheme === 'light' ? 'rgb(244, 246, 250)' : 'rgb(16, 20, 27)');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await findPaleTexts(page)).toEqual([]);
    },
  );

  it('fails the contrast check when a text is too pale', async () => {
    const page = await scene.look(gateway.url);
    await page.getByText('Connected').waitFor();
    await page.evaluate(() => document.querySelector<HTMLElement>('h1')?.style.setProperty('color', '#ccc'));
    expect(await findPaleTexts(page)).toEqual([expect.stringContaining('Signalbox')]);
  });

  it('animates nothing for people who prefer reduced motion', async () => {
    gateway.put({ id: '4', type: 'Progress', props: { text: 'step 3' } });
    const page = await scene.look(gateway.url);
    const moves = (): Promise<number> => page.evaluate(() => document.getAnimations().length);
    await page.getByText('step 3').waitFor();
    expect(await moves()).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await until(async () => (await moves()) > 0);
  });
});
