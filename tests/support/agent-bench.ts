import type { AgentPlugin } from '@signalbox/worker/agents/agent';
import { loadAgents } from '@signalbox/worker/agents/registry';
import { checkReplay } from './replay-check.ts';
import { openWorkerBench, type WorkerBench } from './worker.ts';
import { sampleParts } from './samples.ts';

/**
 * A worker in which this agent answers everybody, whether its folder is one of the product's or it is an example. Its turns are gone
 * through again when the bench is closed.
 */
export async function openAgentBench(plugin: AgentPlugin): Promise<WorkerBench> {
  const isShipped = (await loadAgents(sampleParts.agents)).some(({ id }) => id === plugin.id);
  const agents = isShipped ? [] : [plugin];
  const bench = await openWorkerBench();
  await bench.startWorker({ wiring: { agents }, env: { AGENT_DEFAULT: plugin.id } });
  return {
    ...bench,
    close: async () => {
      try {
        await checkReplay(bench.pool, [], agents);
      } finally {
        await bench.close();
      }
    },
  };
}
