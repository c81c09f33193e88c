import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { until } from '../support/until.ts';
import { openPlayedGateway, type PlayedGateway } from './web-gateway.ts';
import { openWebScene, type WebScene } from './web-scene.ts';

const executablePath = inject('chromium');
const at = '2026-03-02T10:31:00.000Z';
const HASH = '4f8a0d3b2c1e5f6a7b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c';

describe.skipIf(executablePath === null)('a conversation on the web page', () => {
  let scene: WebScene;
  let gateway: PlayedGateway;
  let page: Page;
  beforeAll(async () => {
    scene = await openWebScene(executablePath);
  });
  beforeEach(async () => {
    gateway = await openPlayedGateway();
    gateway.person = { name: 'Ada', role: 'admin' };
    page = await scene.look(gateway.url);
    await page.getByText('Connected').waitFor();
  });
  afterEach(async () => {
    await scene.leave();
    await gateway.close();
  });
  afterAll(() => scene?.close());

  const say = (id: string, text: string, props: object = {}): void =>
    gateway.put({ id, type: 'Message', props: { from: 'agent', text, at, ...props } });

  it('shows a sent message at once, and no second copy when the gateway confirms it', async () => {
    await page.getByLabel('Message').fill('first line');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('second line');
    await page.keyboard.press('Enter');
    await until(() => gateway.messages.length === 1);
    expect(gateway.messages[0]).toMatchObject({ text: 'first line\nsecond line', voice: false });
    await page.locator('[data-id] .own').waitFor();
    expect(await page.locator('.own').count()).toBe(1);
    expect(await page.getByLabel('Message').inputValue()).toBe('');
  });

  it('renders markdown as elements, and nothing of a message as HTML', async () => {
    say('1', '**bold** <img src=x onerror=alert(1)> [good](https://example.org/a) [bad](javascript:alert(1))');
    const row = page.locator('[data-id="1"]');
    await row.getByText('bold', { exact: true }).waitFor();
    expect(await row.locator('strong').innerText()).toBe('bold');
    expect(await row.locator('img').count()).toBe(0);
    expect(await row.innerText()).toContain('<img src=x onerror=alert(1)>');
    const links = await row
      .locator('a')
      .evaluateAll((all) => all.map((one) => [one.getAttribute('href'), one.getAttribute('rel')]));
    expect(links).toEqual([['https://example.org/a', 'noopener noreferrer']]);
  });

  it('sends a button press once, with the version of the message that was seen, and marks the button', async () => {
    say('1', 'Which server?', { buttons: [{ label: 'web-1' }, { label: 'web-2' }] });
    gateway.put({ id: '2', type: 'Button', version: '77', props: { label: 'Go on' } });
    await page.getByRole('button', { name: 'web-2' }).click();
    await page.getByRole('button', { name: 'web-2 chosen' }).waitFor();
    for (const name of ['web-1', 'web-2 chosen']) await page.getByRole('button', { name }).dispatchEvent('click');
    await page.getByRole('button', { name: 'Go on' }).click();
    await until(() => gateway.actions.length === 2);
    expect(gateway.actions).toMatchObject([
      { componentId: '1', index: 1, version: '' },
      { componentId: '2', index: 0, version: '77' },
    ]);
    say('1', 'Which server?', { buttons: [{ label: 'web-1' }, { label: 'web-2' }], pressed: 1 });
    const states = page.locator('[data-id="1"] button');
    await until(async () => (await states.first().getAttribute('aria-disabled')) === 'true');
    expect(await page.getByRole('button', { name: 'web-2 chosen' }).count()).toBe(1);
  });

  it('shows the whole approval card: its text, hash, requester and expiry', async () => {
    const text = 'Deploy `shop` 1.4.3 to production';
    const props = {
      text,
      at,
      hash: HASH,
      askedBy: 'Ben',
      expiresAt: '2026-03-02T10:46:00.000Z',
      buttons: [{ label: 'Approve' }],
    };
    gateway.put({ id: '5', type: 'Approval', version: '9', props });
    const card = page.getByRole('region', { name: 'Waiting for a decision' });
    await card.waitFor();
    for (const part of [HASH, 'Ben', 'Expired', 'Deploy shop 1.4.3 to production'])
      expect(await card.innerText()).toContain(part);
    await card.getByRole('button', { name: 'Approve' }).click();
    await until(() => gateway.actions.length === 1);
    expect(gateway.actions[0]).toMatchObject({ componentId: '5', version: '9', index: 0 });
    gateway.put({
      id: '5',
      type: 'Approval',
      version: '9',
      props: { ...props, expiresAt: '2999-01-01T00:00:00.000Z' },
    });
    await card.getByText('Expires').waitFor();
  });

  it('shows a draft in one place until the final message arrives', async () => {
    gateway.tell({ type: 'server.agent.thinking', payload: { active: true } });
    await page.getByRole('status').getByText('The agent is thinking').waitFor();
    gateway.put({ id: 'draft', type: 'Draft', place: 1e6, props: { text: 'Half of **it**' } });
    gateway.tell({ type: 'server.transcript.partial', payload: { speaker: 'agent', text: 'Half of **it**' } });
    await page.locator('.draft strong').waitFor();
    expect(await page.locator('.draft').count()).toBe(1);
    expect(await page.getByText('The agent is thinking').count()).toBe(0);
    gateway.remove('draft');
    gateway.tell({ type: 'server.transcript.final', payload: { speaker: 'agent', text: 'All of it' } });
    say('9', 'All of it');
    await page.locator('[data-id="9"]').waitFor();
    expect(await page.locator('.draft').count()).toBe(0);
  });

  it('shows an error box with the type of a message part that is unknown or invalid, and draws the rest', async () => {
    gateway.put({ id: '1', type: 'Hologram', props: {} });
    gateway.put({ id: '2', type: 'constructor', props: {} });
    gateway.put({ id: '3', type: 'Table', props: { columns: 'none' } });
    say('4', 'still here');
    await page.getByText('still here').waitFor();
    await page.getByText('cannot show a part of the type Hologram').waitFor();
    await page.getByText('cannot show a part of the type constructor').waitFor();
    await page.getByText('A part of the type Table could not be shown').waitFor();
    expect(await page.locator('.notice.error').count()).toBe(3);
  });

  it.each([
    ['Progress', { text: 'step **3** of 5' }, 'step 3 of 5'],
    ['Receipts', { receipts: [{ what: 'Deployed shop', note: '10:31' }] }, 'Deployed shop · 10:31'],
    ['Files', { files: [{ artifactId: 'art_1', name: 'report.pdf', sizeBytes: 2048 }] }, 'report.pdf'],
    ['DataCard', { title: 'shop', fields: [{ label: 'Version', value: '`1.4.3`' }] }, 'Version'],
    ['Timeline', { steps: [{ label: 'Build', state: 'failed', note: '12 s' }] }, 'failed'],
    ['Table', { columns: ['A'], rows: [['one'], ['two']] }, 'two'],
    ['List', { items: ['*one*', 'two'], isOrdered: true }, 'two'],
    ['Text', { text: '**plain**' }, 'plain'],
    ['Notice', { text: 'Production is frozen.', tone: 'warning' }, 'Production is frozen.'],
  ])('draws a %s', async (type, props, shown) => {
    gateway.put({ id: '1', type, props });
    await until(async () =>
      (
        await page
          .locator('[data-id="1"]')
          .innerText()
          .catch(() => '')
      ).includes(shown),
    );
    expect(await page.locator('.error').count()).toBe(0);
  });

  it('draws the children of a component between its text and its buttons', async () => {
    say('2', 'not yet moved');
    gateway.put({
      id: '1',
      type: 'Message',
      place: 0,
      props: { from: 'agent', text: 'above', at, buttons: [{ label: 'Go' }] },
      children: [{ type: 'DataCard', props: { title: 'inside' } }],
    });
    gateway.put({ id: '2', type: 'Message', place: 1, props: { from: 'agent', text: 'below', at } });
    await page.getByText('below').waitFor();
    const text = await page.getByRole('log').innerText();
    const order = ['above', 'inside', 'Go', 'below'].map((word) => text.indexOf(word));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });

  it('offers commands after a slash, and sends the one that is chosen', async () => {
    const field = page.getByLabel('Message');
    await field.fill('/st');
    await page.getByRole('option', { name: '/status' }).waitFor();
    expect(await page.getByRole('option').count()).toBe(2);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await until(() => gateway.messages.length === 1);
    expect(gateway.messages[0]?.text).toBe('/stop');
  });

  it('puts a tapped command into the field and does not send it', async () => {
    say('1', 'Write /status to see more, not a/path or /etc/hosts.');
    await page.getByRole('button', { name: '/status' }).click();
    expect(await page.getByLabel('Message').inputValue()).toBe('/status');
    expect(await page.locator('.word').count()).toBe(1);
    expect(gateway.messages).toHaveLength(0);
  });

  it('keeps the scroll position, counts new messages, and has a button to the newest message', async () => {
    for (let count = 0; count < 40; count += 1) say(`old-${count}`, `answer ${count}`);
    await page.getByText('answer 39').waitFor();
    const scroller = page.locator('.scroller');
    await scroller.evaluate((node) => node.scrollTo({ top: 300 }));
    await page.getByRole('button', { name: 'To the newest message' }).waitFor();
    const before = await page.getByText('answer 7', { exact: true }).boundingBox();
    say('old-0', 'a longer answer\n\nof several\n\nlines');
    say('new-1', 'news');
    say('new-2', 'more news');
    await page.getByRole('button', { name: '2 new messages' }).waitFor();
    const after = await page.getByText('answer 7', { exact: true }).boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThanOrEqual(1);
    await page.getByRole('button', { name: '2 new messages' }).click();
    await page.getByText('more news').waitFor();
    await until(() => scroller.evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight < 2));
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('message');
  });
});
