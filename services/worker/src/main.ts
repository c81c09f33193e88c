import { isTransient } from '@signalbox/shared/db/pool';
import { runService } from '@signalbox/shared/lifecycle';
import { createLog } from '@signalbox/shared/log';
import { isRedisAway } from '@signalbox/shared/redis';
import { loadConfig } from './config.ts';
import { wire } from './wire.ts';
import { createWorker } from './worker.ts';

const config = loadConfig();
const log = createLog('worker', config.LOG_LEVEL);
const passes = (error: unknown): boolean => isTransient(error) || isRedisAway(error);
await runService(
  log,
  async (own) => {
    await createWorker(own, config, log, wire(config, log));
  },
  passes,
);
