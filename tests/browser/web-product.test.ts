import type { Page } from 'playwright-core';
import { createIdentityCode } from '@signalbox/store/people/identities';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { freePort } from '../support/free-port.ts';
import { createScriptedModels } from '../support/scripted-model.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { openWebScene, type WebScene } from './web-scene.ts';

const executablePath = inject('chromium');
const ran: string[] = [];

/** One tool that somebody has to approve. */
const act = tool({
  describe: 'Do something that somebody has to approve.',
  hints: ['do something that has to be approved'],
  input: z.object({ what: z.string().max(200), project: z.string().nullable().default(null) }),
  risk: 'dangerous',
  role: 'developer',
  egress: false,
  deadlineMs: 5_000,
  replay: 'harmless',
  run: async ({ what }) => {
    ran.push(what);
    return { done: true };
  },
  phrases: { done: () => 'Done.' },
}).from('runtime');
const groups = [toolGroup({ name: 'test', summary: 'Things to approve.', uses: [], tools: { act } })];
const models = createScriptedModels((messages, tools) => {
  if (tools.some(({ name }) => name === 'classify_intent')) {
    const args = { task_summary: 'act', capabilities: ['test'], project: null };
    return { toolCalls: [{ name: 'classify_intent', args }] };
  }
  const isAsked = messages.at(-1)?.text.includes('please act') ?? false;
  return isAsked ? { toolCalls: [{ name: 'act', args: { what: 'the thing' } }] } : { content: 'Noted, **thank you**.' };
});

describe.skipIf(executablePath === null)('the web page of the product', () => {
  let scene: WebScene;
  let stack: Stack;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const env = { GATEWAY_CHANNELS: 'telegram,web', GATEWAY_HTTP_PORT: String(port) };
    stack = await openStack({ env, wiring: { groups, models: () => Promise.resolve(models) } });
    await stack.person(1002, 'developer');
    await stack.person(1003, 'operator');
    scene = await openWebScene(executablePath);
  }, 60_000);
  afterAll(async () => {
    await scene?.close();
    await stack?.close();
  });

  const enter = async (person: number): Promise<Page> => {
    const page = await scene.look(`${url}/#code=${await createIdentityCode(stack.pool, String(person))}`);
    await page.getByText('Connected').waitFor();
    return page;
  };
  const write = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text);
    await page.keyboard.press('Enter');
  };

  it('carries a conversation and an approval decision between two people', async () => {
    const [developer, operator] = [await enter(1002), await enter(1003)];
    // A card goes where its reader wrote.
    await write(operator, 'hello');
    await write(developer, 'hello');
    await developer.locator('strong', { hasText: 'thank you' }).waitFor();
    await until(async () => (await developer.locator('[data-pending]').count()) === 0);
    expect(await developer.locator('.own').count()).toBe(1);

    await write(developer, 'please act');
    const card = operator.getByRole('region', { name: 'Waiting for a decision' });
    await card.getByText('the thing').first().waitFor();
    const { rows } = await stack.pool.query<{ hash: string }>('select hash from approvals');
    expect(await card.innerText()).toContain(rows[0]?.hash.slice(0, 8));
    await card.getByRole('button', { name: 'Approve' }).first().click();
    await until(() => ran.length === 1);
    await until(async () => (await developer.getByRole('log').innerText()).includes('Noted'));
    expect(ran).toEqual(['the thing']);
    expect(scene.complaints()).toEqual([]);
  });

  it('reconnects after the gateway was restarted, and shows each message once', async () => {
    const page = await enter(1002);
    await write(page, 'before');
    await until(async () => (await page.locator('[data-pending]').count()) === 0);
    await stack.stop();
    await page.getByText('The connection is gone.').waitFor();
    await write(page, 'meanwhile');
    await stack.start();
    await until(async () => (await page.locator('[data-pending]').count()) === 0, 50_000);
    for (const text of ['before', 'meanwhile'])
      expect(await page.locator('.own').getByText(text, { exact: true }).count()).toBe(1);
    const { rows } = await stack.pool.query<{ count: number }>(
      `select count(*)::int as count from inbox where envelope->>'text' = 'meanwhile'`,
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('refuses a sign-in link that was already used', async () => {
    const code = await createIdentityCode(stack.pool, '1002');
    const first = await scene.look(`${url}/#code=${code}`);
    await first.getByText('Connected').waitFor();
    const second = await scene.look(`${url}/#code=${code}`);
    await second.getByText('has expired or was used already').waitFor();
    expect(await second.getByLabel('Message').count()).toBe(0);
  });
});
