import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openPlayedGateway, type PlayedGateway } from './web-gateway.ts';
import { openWebScene, type WebScene } from './web-scene.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === null)('signing in at the web page', () => {
  let scene: WebScene;
  let gateway: PlayedGateway;
  beforeAll(async () => {
    scene = await openWebScene(executablePath);
  });
  beforeEach(async () => {
    gateway = await openPlayedGateway();
  });
  afterEach(async () => {
    await scene.leave();
    await gateway.close();
  });
  afterAll(() => scene?.close());

  it('uses the code of a sign-in link, and removes it from the address and the history', async () => {
    gateway.codes.add('good');
    const page = await scene.look(`${gateway.url}/?session=second#code=good`);
    await page.getByText('Ada').waitFor();
    await page.getByText('Connected').waitFor();
    expect(page.url()).toBe(`${gateway.url}/?session=second`);
    expect(gateway.opened[0]?.get('session')).toBe('second');
    await page.goBack().catch(() => null);
    expect(page.url()).not.toContain('code');
  });

  it('says what to do when the link was used already', async () => {
    const page = await scene.look(`${gateway.url}/#code=used`);
    await page.getByRole('alert').getByText('has expired or was used already. Write /link to the bot').waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    expect(gateway.opened).toHaveLength(0);
    expect(scene.complaints()).toEqual([expect.stringContaining('401')]);
  });

  it('explains how to sign in, and offers no demo people where none exist', async () => {
    const page = await scene.look(gateway.url);
    await page.getByText('Write /link to the bot in the chat').waitFor();
    expect(await page.getByRole('heading', { name: 'Demo people' }).count()).toBe(0);
  });

  it('lets a visitor choose a demo person and sign out, and forgets text that was not sent', async () => {
    gateway.demoPeople.push({ id: '1', name: 'Ada', role: 'admin' }, { id: '2', name: 'Ben', role: 'developer' });
    const page = await scene.look(gateway.url);
    await page.getByRole('button', { name: 'Ben developer' }).click();
    await page.getByText('Connected').waitFor();
    gateway.confirms = false;
    await page.getByLabel('Message').fill('never confirmed');
    await page.keyboard.press('Enter');
    await page.getByText('Sending…').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    expect(gateway.person).toBeNull();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.getByRole('button', { name: 'Ada admin' }).click();
    await page.getByText('Connected').waitFor();
    expect(await page.getByText('never confirmed').count()).toBe(0);
  });

  it('signs nobody in as another person without asking them', async () => {
    gateway.person = { name: 'Ben', role: 'developer' };
    gateway.codes.add('of-ada');
    const page = await scene.look(`${gateway.url}/#code=of-ada`);
    await page.getByText('You are signed in as Ben.').waitFor();
    expect([...gateway.codes]).toEqual(['of-ada']);
    await page.getByRole('button', { name: 'Stay signed in as Ben' }).click();
    await page.getByText('Connected').waitFor();
    expect(gateway.person).toEqual({ name: 'Ben', role: 'developer' });
    await page.goto(`${gateway.url}/#code=of-ada`);
    await page.getByRole('button', { name: 'Use the link' }).click();
    await page.getByText('Ada', { exact: true }).waitFor();
  });

  it('goes back to signing in when the session has ended', async () => {
    gateway.person = { name: 'Ada', role: 'admin' };
    const page = await scene.look(gateway.url);
    await page.getByText('Connected').waitFor();
    gateway.person = null;
    gateway.drop(4001);
    await page.getByRole('alert').getByText('You are no longer signed in.').waitFor();
    expect(gateway.opened).toHaveLength(1);
  });

  it('speaks the language of the browser, and English when no translation exists', async () => {
    const page = await scene.look(gateway.url, { locale: 'de-AT' });
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    const other = await scene.look(gateway.url, { locale: 'fi-FI' });
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('runs no inline script, and lets no other page frame it', async () => {
    const response = await fetch(gateway.url);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    const tag = response.headers.get('etag') ?? '';
    const again = await fetch(gateway.url, { headers: { 'if-none-match': tag } });
    expect(again.status).toBe(304);
  });
});
