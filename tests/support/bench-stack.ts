import { join } from 'node:path';
import { startPostgres } from '@signalbox/local/postgres';
import { startRedis } from '@signalbox/local/redis';
import { GatewayConfig } from '@signalbox/gateway/config';
import { createGateway } from '@signalbox/gateway/gateway';
import { readConfig } from '@signalbox/shared/config';
import { migrate } from '@signalbox/shared/db/migrate';
import { closeAll, type Closable, type Own } from '@signalbox/shared/lifecycle';
import { createLog } from '@signalbox/shared/log';
import { createScriptedModel, type ModelScript } from '@signalbox/shared/model/scripted';
import { createSimulator } from '@signalbox/telegram-simulator/server';
import { loadConfig } from '@signalbox/worker/config';
import { wire } from '@signalbox/worker/wire';
import { createWorker } from '@signalbox/worker/worker';
import pg from 'pg';
import { loadTestConfig } from './config.ts';

export interface BenchStack {
  readonly databaseUrl: string;
  /** Sends a message and answers the milliseconds until its sendMessage reached the simulator. */
  roundTrip(): Promise<number>;
  close(): Promise<void>;
}

/** The product in this process over its own embedded servers, with their normal settings, durable commits included. */
export async function openBenchStack(dir: string, script: ModelScript): Promise<BenchStack> {
  const log = createLog('bench', loadTestConfig().logLevel);
  const parts: Closable[] = [];
  const own: Own = (part) => {
    parts.push(part);
    return part;
  };
  const postgres = await startPostgres({ dir: join(dir, 'postgres') });
  own({ close: () => postgres.stop() });
  const { dataDir, path } = loadTestConfig();
  const redis = await startRedis({ dir: join(dir, 'redis'), binDir: join(dataDir, 'redis-bin'), path });
  own({ close: () => redis.stop() });
  await migrate(postgres.url);
  const simulator = own(await createSimulator({}));
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    TELEGRAM_BOT_TOKEN: '100:simulator',
    TELEGRAM_API_ROOT: simulator.url,
    TELEGRAM_SENDS_PER_SECOND: '1000',
    TELEGRAM_CHAT_SENDS_PER_SECOND: '1000',
    INBOUND_BURST: '10000',
  };
  const db = new pg.Client({ connectionString: postgres.url });
  await db.connect();
  await db.query(`insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'admin')`);
  await db.end();
  await createGateway(own, readConfig(GatewayConfig, env), log);
  const config = loadConfig({ ...env, WORKER_NAME: 'bench' });
  await createWorker(own, config, log, {
    ...wire(config, log),
    model: async () => ({ model: createScriptedModel(script), name: 'scripted' }),
  });

  let seen = 0;
  const calls = async (): Promise<{ seq: number; method: string; at: number }[]> => {
    const response = await fetch(`${simulator.url}/api/calls?after=${seen}`);
    return (await response.json()) as { seq: number; method: string; at: number }[]; // the simulator's contract
  };
  return {
    databaseUrl: postgres.url,
    roundTrip: async () => {
      const startedAt = performance.timeOrigin + performance.now();
      await fetch(`${simulator.url}/api/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ from: 1001, text: 'list the projects' }),
      });
      for (;;) {
        const fresh = await calls();
        seen = fresh.at(-1)?.seq ?? seen;
        const sent = fresh.find((call) => call.method === 'sendMessage');
        if (sent) return sent.at - startedAt;
        // Looking too often would itself slow the process that is measured.
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
    },
    close: async () => void (await closeAll(parts, log)),
  };
}
