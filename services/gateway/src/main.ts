import { isTransient } from '@signalbox/shared/db/pool';
import { runService } from '@signalbox/shared/lifecycle';
import { createLog } from '@signalbox/shared/log';
import { isRedisAway } from '@signalbox/shared/redis';
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
