import { publishAgents } from '@signalbox/store/conversation/agents';
import { expect, test } from 'vitest';
import '../support/samples.ts'; // the words of the bank's agents
import { until } from '../support/until.ts';
import { bench, useBench } from './bench.ts';

useBench();

test('a page shows the agent of its conversation with requests to begin with, and the next one after a switch', async () => {
  const agents = ['product_owner', 'lost_card'].map((id) => ({ id, summary: 'In English.' }));
  await publishAgents(bench.harness.pool, agents, 'product_owner');
  const { url } = await bench.start();
  const page = await bench.open({ url, cookie: await bench.signIn(url) });
  const shown = () => page.of('server.agent.current').map(({ payload }) => payload);
  await until(() => shown().length === 1);
  expect(shown()[0]).toMatchObject({ id: 'product_owner', name: 'Operations', first: 'What do you want done?' });
  expect(shown()[0]?.examples).toContain('List the projects');
  page.say('/agent lost_card');
  await until(() => shown().length === 2);
  expect(shown()[1]).toMatchObject({ id: 'lost_card', name: 'Bank cards', first: 'What happened to your card?' });
  await until(() => page.withButton('Back to Operations').length === 1);
  page.press('Back to Operations');
  await until(() => shown().length === 3);
  expect(shown()[2]?.id).toBe('product_owner');
  // The words may come after the event.
  await until(() => page.texts().at(-1)?.includes('**Operations** answers you here') === true);
});
