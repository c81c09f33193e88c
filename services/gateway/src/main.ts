import './quick-wasm.ts';
import { isInfrastructureError } from '@signalbox/store/infrastructure';
import { runService } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { ChannelRecovered } from './channels/refused.ts';
import { loadConfig } from './config.ts';
import { createGateway } from './gateway.ts';

const config = loadConfig();
const log = createLog('gateway', config.LOG_LEVEL);
await runService(
  log,
  async (own) => {
    const gateway = await createGateway(own, config, log);
    // Restarts all channels in this process once a refused one can be opened. An inherited socket opens once per process.
    await gateway.mended.catch((error: unknown) => {
      if (!config.GATEWAY_HTTP_SOCKETS) throw error;
      process.kill(process.pid, 'SIGTERM');
    });
  },
  (error) => isInfrastructureError(error) || error instanceof ChannelRecovered,
  config.GATEWAY_HTTP_SOCKETS,
);
