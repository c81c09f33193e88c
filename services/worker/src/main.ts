import { isTransient } from '@signalbox/store/pool';
import { runService } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { isRedisAway } from '@signalbox/platform/redis';
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
