import { DEFAULT_AGENT } from '@signalbox/worker/agents/default-agent';
import { createAgents, loadAgents } from '@signalbox/worker/agents/registry';
import { expect, it } from 'vitest';
import echo from '../examples/echo.ts';
import { describeAgent } from './agents.ts';
import { sampleParts } from '../support/samples.ts';

const shipped = await loadAgents(sampleParts.agents);

for (const plugin of [...shipped, echo]) describeAgent(plugin);

it('the folder of agents contains the default agent', () => {
  expect(shipped.map(({ id }) => id)).toContain(DEFAULT_AGENT);
});

it('two agents with the same id are refused', () => {
  // Nothing of the parts is used before the second agent of the same id.
  expect(() => createAgents([echo, echo], {} as Parameters<typeof createAgents>[1])).toThrow('agent ids are unique');
});
