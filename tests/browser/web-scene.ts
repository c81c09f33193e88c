import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from './scene.ts';

/** Browsers that look at a page of the gateway. */
export interface WebScene {
  readonly browser: Browser;
  /** Opens a page. `prepare` runs in it before anything else. */
  look(url: string, options?: BrowserContextOptions & { readonly prepare?: () => void }): Promise<Page>;
  /** What the pages complained about since the last call: errors, warnings, refusals of the content policy. */
  complaints(): readonly string[];
  /** Closes all pages. Throws when one of them complained. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** What a browser says itself of a socket that a test cuts. */
const CUT = /WebSocket connection to .* failed|net::ERR_(CONNECTION_REFUSED|INTERNET_DISCONNECTED)/;

export async function openWebScene(executablePath: string | null): Promise<WebScene> {
  const browser = await openBrowser(executablePath);
  const complaints: string[] = [];
  return {
    browser,
    look: async (url, { prepare, ...options } = {}) => {
      const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options });
      if (prepare) await context.addInitScript(prepare);
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        const isBad = message.type() === 'error' || message.type() === 'warning';
        if (isBad && !CUT.test(message.text())) complaints.push(message.text());
      });
      await page.goto(url);
      return page;
    },
    complaints: () => complaints.splice(0),
    leave: async () => {
      for (const context of browser.contexts()) await context.close();
      if (complaints.length > 0) throw new Error(`the page complained: ${complaints.splice(0).join('; ')}`);
    },
    close: () => browser.close(),
  };
}
