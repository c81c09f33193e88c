import { chromium as browsers, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { createSimulator } from '@signalbox/telegram-simulator/server';
import { until } from '../support/until.ts';

/** A simulator whose bot and people are played by the test, and browsers that look at its page. */
export interface Scene {
  readonly url: string;
  /** Calls a method of the Bot API and answers its result. */
  readonly bot: (method: string, parameters: object) => Promise<{ readonly message_id: number }>;
  /** Waits for a press on a button that is newer than the one answered before, and answers its id. */
  readonly nextPress: () => Promise<string>;
  /** Does something as a person. */
  readonly person: (path: string, body: object) => Promise<void>;
  /** Opens the page of somebody, by the part of the address after `#`. */
  readonly look: (place: string, options?: BrowserContextOptions) => Promise<Page>;
  /** What the pages complained about since the last call: errors, warnings, refusals of the content policy. */
  readonly complaints: () => readonly string[];
  readonly stopSimulator: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Without these, Chromium looks up hosts of its maker in the background. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Starts a browser without a window. */
export function openBrowser(executablePath: string | null): Promise<Browser> {
  return browsers.launch({ executablePath: executablePath ?? '', args: ARGUMENTS });
}

/** Opens a simulator and a browser. `close` ends both. */
export async function openScene(executablePath: string | null): Promise<Scene> {
  const simulator = await createSimulator();
  const browser = await openBrowser(executablePath);
  const complaints: string[] = [];
  let press = '';
  return {
    url: simulator.url,
    bot: (method, parameters) => call(`${simulator.url}/bot100:simulator/${method}`, parameters),
    nextPress: async () => {
      const newest = `${simulator.url}/bot100:simulator/getUpdates?offset=-1&timeout=5`;
      return (press = await until(async () => {
        // See call.
        const { result } = (await (await fetch(newest, { method: 'POST' })).json()) as {
          result: { callback_query?: { id: string } }[];
        };
        const id = result[0]?.callback_query?.id;
        return id !== press && id;
      }));
    },
    person: async (path, body) => void (await call(`${simulator.url}/api/${path}`, body)),
    look: async (place, options = {}) => {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
      });
      await page.goto(`${simulator.url}/#${place}`);
      await page.locator('body[data-pane]').waitFor();
      return page;
    },
    complaints: () => complaints.splice(0),
    stopSimulator: simulator.close,
    close: async () => {
      await browser.close();
      await simulator.close();
    },
  };
}

/** How far the page is wider than its screen, in pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

async function call(url: string, body: object): Promise<{ readonly message_id: number }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  // The simulator's own answers: tests name the fields that they use.
  const answer = (await response.json()) as { result?: { message_id: number }; description?: string; error?: string };
  if (!response.ok) throw new Error(`${url}: ${answer.description ?? answer.error}`);
  return answer.result ?? { message_id: 0 };
}
