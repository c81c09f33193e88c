import { createLog } from '@signalbox/platform/log';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { until } from '../../support/until.ts';
import { PHONE } from '../scene.ts';
import { openAgentsBench, type AgentsBench } from './bench.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === null)('the agent that answers on the web page', () => {
  let bench: AgentsBench;
  let next = 2900;
  const lines: string[] = [];
  beforeAll(async () => {
    const log = createLog('test', 'warn', { write: (line: string) => void lines.push(line) });
    bench = await openAgentsBench(executablePath, { log, env: { AGENT_DEFAULT: 'mortgage' } });
  }, 60_000);
  afterEach(() => bench.scene.leave());
  afterAll(() => bench?.close());

  const customer = () => bench.customer((next += 1));
  const threads = async (): Promise<readonly unknown[]> =>
    (await bench.stack.pool.query('select agent, status from threads where user_key = $1 order by n', [`web-${next}`]))
      .rows;

  it('is the configured agent when the address of the page names none', async () => {
    const page = await (await customer()).open(null);
    await page.page.getByText('Connected').waitFor();
    await page.shoot('host-empty');
    await page.write('hello');
    await page.sees('What is the property worth?');
    expect(await threads()).toEqual([{ agent: 'mortgage', status: 'open' }]);
  });

  it('is the agent that the address of the page names', async () => {
    const page = await (await customer()).open('lost_card');
    await page.write('hello');
    await page.sees('What happened to your card?');
    await page.shoot('host-lost-card');
    expect(await threads()).toEqual([{ agent: 'lost_card', status: 'open' }]);
  });

  it.each([
    ['desktop', {}],
    ['phone', PHONE],
  ])(
    'is missing when the address names an unknown agent: the page says so and links to the usual agent, on a %s',
    async (_, options) => {
      lines.length = 0;
      const page = await (await customer()).open('nobody', options);
      await page.page.getByText('There is no agent of that name here.').waitFor();
      await page.page.getByText('Not connected').waitFor();
      if (options !== PHONE) await page.shoot('host-unknown');
      expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
        expect.objectContaining({ level: 'warn', agent: 'nobody', userKey: `web-${next}` }),
      );
      expect(await threads()).toEqual([]);
      await page.page.getByRole('link', { name: 'Talk to the default agent' }).click();
      await page.page.getByText('Connected', { exact: true }).waitFor();
      await page.write('hello');
      await page.sees('What is the property worth?');
      expect(await threads()).toEqual([{ agent: 'mortgage', status: 'open' }]);
    },
  );

  it('is changed by a command on the page, and each agent keeps its conversation', async () => {
    const page = await (await customer()).open('mortgage');
    await page.write('the house is worth 300,000');
    await page.sees('How much do you want to borrow, or still owe?');
    await page.write('/agents');
    await page.sees('You can talk to these agents:');
    await page.shoot('host-agents');
    await page.write('/agent lost_card');
    await page.sees('answers you here from now on.');
    await page.write('show my payments');
    await page.sees('Which card do you mean?');
    await page.write('/agent mortgage');
    await until(async () => (await page.said()).split('answers you here from now on.').length === 3);
    await page.write('210k');
    await page.sees('For how many years should the rate be fixed?');
    expect(await threads()).toEqual([
      { agent: 'mortgage', status: 'open' },
      { agent: 'lost_card', status: 'open' },
    ]);
  });
});
