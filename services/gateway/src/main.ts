import './quick-wasm.ts';
import { isInfrastructure } from '@signalbox/store/infrastructure';
import { runService } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { loadConfig } from './config.ts';
import { createGateway } from './gateway.ts';

const config = loadConfig();
const log = createLog('gateway', config.LOG_LEVEL);
await runService(
  log,
  async (own) => {
    const gateway = await createGateway(own, config, log);
    // A token that Telegram revoked ends the service: nothing but a restart with another one helps.
    await gateway.ended;
  },
  isInfrastructure,
);
