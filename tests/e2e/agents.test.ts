import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import echo from '../examples/echo.ts';
import { freePort } from '../support/free-port.ts';
import type { Person } from '../support/person.ts';
import { START_KEY } from '../support/wiring.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { TestPage } from '../web/page.ts';
import { cookieOf, postSession } from '../web/requests.ts';

let stack: Stack;
let ada: Person;
let url: string;

const open = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  stack = await openStack({
    wiring: { agents: [echo] },
    env: { GATEWAY_CHANNELS: 'telegram,web', GATEWAY_HTTP_PORT: String(port), WEB_DEMO_PEOPLE: 'on', ...env },
    notReplayed: 'the agent echo is no folder of the product',
  });
  ada = await stack.person(1001, 'admin');
};
afterEach(() => stack.close());

const threads = async (): Promise<readonly unknown[]> =>
  (await stack.pool.query('select agent, status from threads order by n')).rows;

describe('an agent', () => {
  beforeEach(() => open());

  it('is listed with its summary, and the agent of this chat is marked', async () => {
    const [list] = await ada.ask('/agents');
    expect(list).toMatch(/Operations \(here now\): Deploys, watches and repairs.*\/agent_product_owner/);
    expect(list).toMatch(/echo: Says again what it reads\. \/agent_echo/);
  });

  it.each(['/agent echo', '/agent_echo', '/start agent_echo'])('answers after it was chosen with %s', async (words) => {
    expect((await ada.ask(words)).join('\n')).toMatch(/echo answers you here from now on/);
    expect(await ada.ask('hello')).toEqual(['You said: hello']);
    expect((await ada.ask('/agent')).join('\n')).toMatch(/^echo answers you here\. Says again/);
  });

  it('that does not exist is refused with the list of existing agents, and nothing changes', async () => {
    expect(await ada.ask('/agent nobody')).toEqual([
      expect.stringMatching(/There is no agent named nobody\. There are: product_owner, echo/),
    ]);
    expect((await stack.pool.query('select 1 from chat_agents')).rowCount).toBe(0);
  });

  it('keeps its conversation while another agent has its own', async () => {
    await ada.ask('create a project called tea');
    await ada.ask('/agent echo');
    expect(await ada.ask('a shop')).toEqual(['You said: a shop']);
    await ada.ask('/agent product_owner');
    expect((await ada.ask('a shop for tea')).join('\n')).toMatch(/created the project tea/);
    expect(await threads()).toEqual([
      { agent: 'product_owner', status: 'open' },
      { agent: 'echo', status: 'open' },
    ]);
  });

  it('ends with /new, while the conversation with the other agent goes on', async () => {
    await ada.ask('create a project called tea');
    await ada.ask('/agent echo');
    await ada.ask('hello');
    await ada.ask('/new');
    expect(await threads()).toEqual([
      { agent: 'product_owner', status: 'open' },
      { agent: 'echo', status: 'closed' },
    ]);
  });

  it('is chosen by the address of the web page, and an unknown agent closes the connection with 4000', async () => {
    const cookie = cookieOf(await postSession(`${url}/${START_KEY}`, { person: '1001' }));
    const page = await new TestPage({ url, cookie, agent: 'echo', session: 'second' }).opened();
    page.say('hello');
    await expect.poll(() => page.texts()).toContain('You said: hello');
    page.say('/agent product_owner');
    await expect.poll(() => page.texts().join('\n')).toContain('**Operations** answers you here');
    await page.close();
    const again = await new TestPage({ url, cookie, agent: 'echo', session: 'second', after: page.seq }).opened();
    again.say('/agent');
    await expect.poll(() => again.texts().join('\n')).toMatch(/Operations\*\* answers you here\. Deploys/);
    await again.close();
    const other = await new TestPage({ url, cookie, agent: 'nobody' }).opened();
    await expect.poll(() => other.closed).toEqual({ code: 4000, reason: expect.stringContaining('echo') });
  });
});

it('is the default when the configuration names it', async () => {
  await open({ AGENT_DEFAULT: 'echo' });
  expect(await ada.ask('hello')).toEqual(['You said: hello']);
  expect((await ada.ask('/agents')).join('\n')).toMatch(/echo \(here now\)/);
});
