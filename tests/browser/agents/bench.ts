import { join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { seedDemoCards } from '@signalbox/example-bank/store/demo-cards';
import { createIdentityCode } from '@signalbox/store/people/identities';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { codeIn } from '../../agents/cards-bench.ts';
import { freePort } from '../../support/free-port.ts';
import type { Person } from '../../support/person.ts';
import { openStack, type Stack, type StackOptions } from '../../support/stack.ts';
import { eventually } from '../../support/until.ts';
import { PHONE } from '../scene.ts';
import { openWebScene, type WebScene } from '../web-scene.ts';

/** The whole product with Telegram and the page, and browsers that look at it. */
export interface AgentsBench {
  readonly stack: Stack;
  readonly scene: WebScene;
  readonly url: string;
  /** Somebody with two cards whose account in Telegram is two days old, where they have written already. */
  customer(id: number, role?: string): Promise<Customer>;
  close(): Promise<void>;
}

export interface Customer {
  /** In Telegram, where codes are read. */
  readonly person: Person;
  readonly debit: string;
  /** Opens a page as them, which asks for an agent. */
  open(agent: string | null, options?: OpenOptions): Promise<AgentPage>;
  /** The newest code that they have read in Telegram. */
  code(): Promise<string>;
  /** The debit card, as the bank has it. */
  card(): Promise<{ readonly status: string; readonly risk: string } | undefined>;
}

interface OpenOptions extends BrowserContextOptions {
  readonly session?: string;
  readonly prepare?: () => void;
}

/** A page of the product, and what a person does with it. */
export class AgentPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async write(text: string): Promise<void> {
    await this.page.getByLabel('Message', { exact: true }).fill(text);
    await this.page.getByRole('button', { name: 'Send', exact: true }).click();
  }

  /** Presses the newest button of that label, once it is there and works. */
  async press(label: string): Promise<void> {
    const buttons = this.page.getByRole('log').getByRole('button', { name: label, exact: true });
    await buttons.and(this.page.locator('[aria-disabled="false"]')).last().click();
  }

  /** Waits until something is said. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByRole('log').getByText(text).last().waitFor();
  }

  /** All that stands in the conversation, as it is read. */
  said(): Promise<string> {
    return this.page.getByRole('log').innerText();
  }

  /** Pictures of a conversation for whoever looks at them: a desktop and a phone, light and dark. */
  async shoot(name: string): Promise<void> {
    const { page } = this;
    const before = page.viewportSize() ?? { width: 1280, height: 800 };
    for (const [device, size] of Object.entries({ desktop: { width: 1280, height: 800 }, phone: PHONE.viewport }))
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(size ?? before);
        await page.emulateMedia({ colorScheme });
        const path = join(getCheckoutPath(), '.signalbox', 'screenshots', `${name}-${device}-${colorScheme}.png`);
        await page.screenshot({ path });
      }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(before);
  }
}

export async function openAgentsBench(
  executablePath: string | null,
  options: Pick<StackOptions, 'wiring' | 'log' | 'env' | 'notReplayed'> = {},
): Promise<AgentsBench> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { GATEWAY_CHANNELS: 'telegram,web', GATEWAY_HTTP_PORT: String(port), ...options.env };
  const stack = await openStack({ ...options, env });
  const { pool } = stack;
  const scene = await openWebScene(executablePath);

  const customer = async (id: number, role = 'developer'): Promise<Customer> => {
    const person = await stack.person(id, role);
    const debit = `44${String(id).slice(-2)}`;
    await seedDemoCards(pool, [String(id)]);
    await person.ask('/whoami');
    await pool.query(`update users set created_at = now() - interval '2 days' where user_key = $1`, [String(id)]);
    return {
      person,
      debit,
      open: async (agent, { session, ...look } = {}) => {
        const asked = { ...(agent === null ? {} : { agent }), ...(session === undefined ? {} : { session }) };
        const code = await createIdentityCode(pool, String(id));
        const page = await scene.look(`${url}/?${new URLSearchParams(asked).toString()}#code=${code}`, look);
        return new AgentPage(page);
      },
      code: async () =>
        codeIn(
          await eventually(
            async () => (await person.heard()).map(({ text }) => text),
            (texts) => texts.some((text) => /\b\d{6}\b/.test(text)),
          ),
        ),
      card: async () => {
        const { rows } = await pool.query<{ status: string; risk: string }>(
          'select status, risk from cards where person = $1 and last4 = $2',
          [String(id), debit],
        );
        return rows[0];
      },
    };
  };
  const close = async (): Promise<void> => {
    try {
      await scene.close();
    } finally {
      await stack.close();
    }
  };
  return { stack, scene, url, customer, close };
}
