import './quick-wasm.ts';
import { isTransient } from '@signalbox/store/pool';
import { runService } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { isRedisAway } from '@signalbox/platform/redis';
import { loadConfig } from './config.ts';
import { createGateway } from './gateway.ts';

const config = loadConfig();
const log = createLog('gateway', config.LOG_LEVEL);
const passes = (error: unknown): boolean => isTransient(error) || isRedisAway(error);
await runService(
  log,
  async (own) => {
    const gateway = await createGateway(own, config, log);
    // A token that Telegram revoked ends the service: nothing but a restart with another one helps.
    await gateway.ended;
  },
  passes,
);
