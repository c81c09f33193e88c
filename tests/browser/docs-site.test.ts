import { execFile } from 'node:child_process';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { freePort } from '../support/free-port.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { openWebScene, type WebScene } from './web-scene.ts';

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const executablePath = inject('chromium');

describe.skipIf(executablePath === null)('the site of the documents', () => {
  let scene: WebScene;
  let server: Server;
  let url: string;
  let site: string;
  beforeAll(async () => {
    site = join(makeTemporaryFolder('docs'), 'site');
    const vitepress = join(getCheckoutPath(), 'node_modules/vitepress/bin/vitepress.js');
    const args = [vitepress, 'build', 'docs', '--outDir', site];
    await promisify(execFile)(process.execPath, args, { cwd: getCheckoutPath(), env: { PATH: loadTestConfig().path } });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    server = createServer((request, response) => {
      const path = join(site, decodeURI(new URL(request.url ?? '/', url).pathname).replace(/\/$/, '/index.html'));
      response.writeHead(existsSync(path) ? 200 : 404, {
        'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
      });
      if (existsSync(path)) createReadStream(path).pipe(response);
      else response.end();
    }).listen(port, '127.0.0.1');
    scene = await openWebScene(executablePath);
  }, 240_000);
  afterAll(async () => {
    await scene?.close();
    server?.close();
  });

  it('leads from the README to the first hour, and from a search to a chapter', async () => {
    const page = await scene.look(`${url}/`);
    await page.locator('.VPSidebar').getByText('Your first hour').click();
    await page.getByRole('heading', { name: 'Your first hour' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill('restore backup');
    await page.getByRole('option').first().click();
    await page.waitForURL(/\.html#/);
    expect(page.url()).toMatch(/backup.*\.html#/);
    await scene.leave();
  });

  it('holds llms.txt, and no link to a file of the code', () => {
    expect(readFileSync(join(site, 'llms.txt'), 'utf8')).toMatch(/^# Signalbox\n/);
    expect(readFileSync(join(site, 'docs/gates.html'), 'utf8')).not.toMatch(/href="[^"]*gate\.mjs/);
  });
});
