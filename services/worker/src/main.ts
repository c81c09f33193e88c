import { isInfrastructureError } from '@signalbox/store/infrastructure';
import { runService } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { loadConfig } from './config.ts';
import { createWiring } from './wire.ts';
import { createWorker } from './worker.ts';

const config = loadConfig();
const log = createLog('worker', config.LOG_LEVEL);
await runService(
  log,
  async (own) => {
    await createWorker(own, config, log, createWiring(config, log));
  },
  isInfrastructureError,
);
