import { fileURLToPath } from 'node:url';
import { SAMPLE_AGENTS } from '@signalbox/local/config';
import { loadPlugins, listTables } from '@signalbox/plugins/load-plugins';
import { migrate } from '@signalbox/store/migrations/migrate';
import { MIGRATIONS_FOLDER } from '@signalbox/store/migrations/migration-files';
import { loadWorkerParts } from '@signalbox/worker/plugin-parts';
import { checkReplay } from './replay-check.ts';
import { openWorkerBench, type WorkerBench } from './worker.ts';

export type PluginBench = WorkerBench;

/**
 * A worker that has loaded the plug-in of a folder, over a database with its tables, where one of its agents answers everybody. Its turns
 * are replayed when the bench is closed.
 */
export async function openPluginBench(folder: URL, agentId: string): Promise<PluginBench> {
  const AGENTS = `${SAMPLE_AGENTS},${fileURLToPath(folder)}`;
  const { groups, agents } = await loadWorkerParts(fileURLToPath(folder)); // those of the samples are replayed anyway
  const bench = await openWorkerBench();
  await migrate(bench.databaseUrl, MIGRATIONS_FOLDER, listTables(await loadPlugins(AGENTS)));
  await bench.startWorker({ env: { AGENTS, AGENT_DEFAULT: agentId, MODEL: 'offline' } });
  return {
    ...bench,
    close: async () => {
      try {
        await checkReplay(bench.pool, groups, agents);
      } finally {
        await bench.close();
      }
    },
  };
}
